import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

// A database file that was copied, or restored from a backup, may lack the last entries that readers have seen. New
// entries would then reuse their numbers. So the store notes which file it was last opened in. When it is opened in another
// one, it gets a new generation, which is the end of the epoch in all positions: see `epochFrom`.
//
// A copy can be written into the file that was there before. So the file that is noted is a small one beside the database,
// which is made anew at every start and when the store is closed: an earlier copy of the database names one that is gone. No copy of
// it is the same file.
// A backup of a running server has no such file, but names the one of the server; so it is marked.

/** Returns the generation of the store. A database that the program of an earlier release made has the first one. */
export function readGeneration(database: DatabaseSync): string {
  return String(originOf(database)?.['generation'] ?? '')
}

/** Returns the generation that the store gets when it is opened in this file: a new one, if the file is a copy. */
export function nextGeneration(database: DatabaseSync): string {
  const path = database.location()
  const origin = originOf(database)
  if (path === null) return readGeneration(database)
  if (origin === undefined) return isCopyOfEarlier(database, path) ? createGeneration() : ''
  const isSame = namesOf(path).some(name => isFile(name, String(origin['file'])))
  return isSame ? String(origin['generation']) : createGeneration()
}

/** Notes that the store is opened in this file. Gives it a new generation, if the file is a copy. */
export function noteStoreFile(database: DatabaseSync): void {
  const path = database.location()
  if (path === null) return
  const generation = nextGeneration(database)
  const [name, newName] = namesOf(path)
  // A process that was killed in the middle of this has left it. Until it is renamed below, one of the two is the file that is noted.
  if (isFile(newName, String(originOf(database)?.['file']))) renameSync(newName, name)
  noteOrigin(database, { file: createFile(newName), generation })
  renameSync(newName, name)
}

/**
 * To be called when the store is closed: notes a new file. A snapshot that was made meanwhile, and is written into the same
 * files later, names one that is gone by then. Does nothing when the data folder is no longer where it was.
 */
export function noteFileOfClosed(database: DatabaseSync): void {
  const path = database.location()
  if (path === null || !isFile(namesOf(path)[0], String(originOf(database)?.['file']))) return
  noteStoreFile(database)
}

/** Marks a database as a copy: whoever opens it gives it a new generation. Does nothing with that of an earlier release. */
export function markAsCopy(database: DatabaseSync): void {
  if (originOf(database) !== undefined)
    noteOrigin(database, { file: '', generation: readGeneration(database) })
}

/** Forgets which file the store was opened in, without a change in the database: the next one to open it gives it a new generation. */
export function forgetStoreFile(database: DatabaseSync): void {
  const path = database.location()
  if (path !== null) for (const name of namesOf(path)) rmSync(name, { force: true })
}

/** Gives the store a new generation. */
export function renewGeneration(database: DatabaseSync): void {
  database.prepare('update store_origin set generation = ?').run(createGeneration())
}

/**
 * Not with a function of another package: the thread of the database uses this, and in a clone of the repository only the main
 * thread finds the sources of other packages.
 */
function createGeneration(): string {
  return randomBytes(8).toString('hex')
}

interface Origin {
  readonly file: string
  readonly generation: string
}

function originOf(database: DatabaseSync) {
  const table = database.prepare("select 1 from sqlite_master where name = 'store_origin'").get()
  return table && database.prepare('select file, generation from store_origin where id = 1').get()
}

function noteOrigin(database: DatabaseSync, { file, generation }: Origin): void {
  database
    .prepare(
      `insert into store_origin (id, file, generation) values (1, ?, ?)
      on conflict (id) do update set file = excluded.file, generation = excluded.generation`,
    )
    .run(file, generation)
}

function namesOf(path: string): readonly [string, string] {
  return [`${path}-origin`, `${path}-origin.new`]
}

/** Makes an empty file that survives a power loss. Returns what it is known by. */
function createFile(name: string): string {
  rmSync(name, { force: true })
  const file = openSync(name, 'wx', 0o600)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  const { ino, birthtimeNs } = statSync(name, { bigint: true })
  return `${ino}.${birthtimeNs}`
}

function isFile(name: string, known: string): boolean {
  if (statSync(name, { throwIfNoEntry: false }) === undefined) return false
  // Where files have no time of birth, Node gives the time of the last change. It is now, so it is recognised.
  chmodSync(name, 0o600)
  const { ino, birthtimeNs, ctimeNs } = statSync(name, { bigint: true })
  if (birthtimeNs === ctimeNs) return known.startsWith(`${ino}.`)
  return known === `${ino}.${birthtimeNs}`
}

/** The programs of earlier releases noted no file. They created it, and made the tables at once; a copy is younger. */
function isCopyOfEarlier(database: DatabaseSync, path: string): boolean {
  const first = database.prepare('select applied_at from migrations where version = 1').get()
  const bornMs = statSync(path).birthtimeMs
  return bornMs > Date.parse(String(first?.['applied_at'])) + 60_000
}

import { posix } from 'node:path'
import { type EntryPoints, isEntryFile, namesFrom } from './entry-points.ts'

export interface SourceFile {
  /** Relative to the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface HouseRules {
  /** For each room the rooms from which it may import. See rooms.ts. */
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** For each module from outside the rooms that may import it. */
  readonly foreignModules: Readonly<Record<string, readonly string[]>>
  /** What other packages may import. */
  readonly entryPoints: EntryPoints
}

/** Returns one text per import that the rules do not allow, and per file that is in no room. */
export function findWrongImports(files: readonly SourceFile[], rules: HouseRules): readonly string[] {
  return files.flatMap(file => {
    const room = roomOf(file.path)
    if (room === undefined) return []
    const row = rowOf(room, rules)
    if (row === undefined) return [`${file.path}: ${unknownRoom(room)}`]
    if (isEntryFile(file.path, rules.entryPoints)) return []
    return importsIn(file.text, rules).flatMap(({ specifier, line }) => {
      const problem = problemOf({ specifier, room, row, path: file.path }, rules)
      return problem === undefined ? [] : [`${file.path}:${line} imports ${specifier}\n  ${problem}`]
    })
  })
}

/** Returns one text per row, and per entry of a row, that no file needs: the table says what is, not what was. */
export function findStaleRows(files: readonly SourceFile[], rules: HouseRules): readonly string[] {
  const imports = files.flatMap(({ path, text }) => {
    const room = isEntryFile(path, rules.entryPoints) ? undefined : roomOf(path)
    const row = room === undefined ? undefined : rowOf(room, rules)
    return row === undefined
      ? []
      : [{ row, targets: importsIn(text, rules).map(found => targetRoom(found.specifier, path)) }]
  })
  return Object.entries(rules.rooms).flatMap(([row, allowed]) => {
    const ofRow = imports.filter(found => found.row === row)
    if (ofRow.length === 0) return [`scripts/rooms.ts: no file is in the room ${row}. Remove the row.`]
    const targets = ofRow.flatMap(found => found.targets).filter(target => target !== undefined)
    return allowed
      .filter(pattern => !targets.some(target => matchesRoom(pattern, target)))
      .map(pattern => `scripts/rooms.ts: no file of ${row} imports from ${pattern}. Remove it from the row.`)
  })
}

/** Returns one text per import of a file of another package that is no entry point: when installed, it would not be found. */
export function findDeepImports(
  files: readonly SourceFile[],
  { entryPoints }: HouseRules,
): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/'(@throughline\/[^']+)'/g)]
      .map(([, specifier = '']) => specifier)
      .filter(specifier => !entryPoints.has(specifier))
      .map(specifier => `${path} imports ${specifier}, which is no entry point of its package.`),
  )
}

interface Import {
  /** For an import through an entry point: the module behind it. */
  readonly specifier: string
  readonly line: number
}

/** The forms in which the formatter leaves imports: { … } from '…', from '…', import '…', import('…'). */
const importForms =
  /^(?:import|export)\b(?:[^'"`;{]*\{([^}]*)\})?[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

function importsIn(text: string, { entryPoints }: HouseRules): readonly Import[] {
  return [...text.matchAll(importForms)].flatMap(found => {
    const [, names, ...specifiers] = found
    const specifier = specifiers.find(each => each !== undefined) ?? ''
    const line = text.slice(0, found.index).split('\n').length
    const behind = entryPoints.get(specifier)
    if (behind === undefined) return [{ specifier, line }]
    const imported = names === undefined ? [...behind.keys()] : namesFrom(names)
    return [...new Set(imported.map(name => behind.get(name) ?? specifier))].map(module => ({
      specifier: module,
      line,
    }))
  })
}

interface ImportInRoom {
  readonly specifier: string
  readonly path: string
  readonly room: string
  /** The key of the row that holds for the room. */
  readonly row: string
}

function problemOf(found: ImportInRoom, rules: HouseRules): string | undefined {
  const { specifier, path, room, row } = found
  const target = targetRoom(specifier, path)
  if (target === undefined) return foreignProblem(found, rules)
  if (target === 'outside')
    return 'Rule: a src folder imports from src folders only, not from tests or scripts.'
  if (specifier.startsWith('.') && packageOf(target) !== packageOf(room)) {
    return 'Import another package by its name (@throughline/…), not by a path.'
  }
  if (target === room || rowOf(target, rules) === row) return undefined
  const allowed = rules.rooms[row] ?? []
  if (allowed.some(pattern => matchesRoom(pattern, target))) return undefined
  return [
    `Rule: ${row} may import from ${listOf(allowed)}, not from ${target}.`,
    'Pass in what the file needs, move the file or what it imports, or change scripts/rooms.ts and docs/architecture.md.',
  ].join('\n  ')
}

function foreignProblem({ specifier, room }: ImportInRoom, rules: HouseRules): string | undefined {
  for (const [pattern, allowed] of Object.entries(rules.foreignModules)) {
    if (!matchesModule(pattern, specifier)) continue
    if (allowed.some(allowedRoom => matchesRoom(allowedRoom, room))) continue
    return `Rule: only ${listOf(allowed)} may import ${pattern}. Move the code there, or change scripts/rooms.ts.`
  }
  return undefined
}

/** Returns the room of what is imported, 'outside' for a file in no src folder, undefined for a foreign module. */
function targetRoom(specifier: string, path: string): string | undefined {
  const own = /^@throughline\/([^/]+)\/(.+)$/.exec(specifier)
  if (own !== null) return roomOf(`packages/${own[1]}/src/${own[2]}`)
  if (!specifier.startsWith('.')) return undefined
  return roomOf(posix.join(posix.dirname(path), specifier)) ?? 'outside'
}

function roomOf(path: string): string | undefined {
  const [, packageName, rest] = /^(?:packages|apps)\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  if (packageName === undefined || rest === undefined) return undefined
  return posix.join(packageName, posix.dirname(rest))
}

/** Returns the key of the row that holds for a room: its own name, or the longest `…/**` around it. */
function rowOf(room: string, { rooms }: HouseRules): string | undefined {
  return Object.keys(rooms)
    .filter(key => matchesRoom(key, room))
    .sort((a, b) => b.length - a.length)[0]
}

function matchesRoom(pattern: string, room: string): boolean {
  if (!pattern.endsWith('/**')) return pattern === room
  const base = pattern.slice(0, -'/**'.length)
  return room === base || room.startsWith(`${base}/`)
}

function matchesModule(pattern: string, specifier: string): boolean {
  if (pattern.endsWith('*')) return specifier.startsWith(pattern.slice(0, -1))
  return specifier === pattern || specifier.startsWith(`${pattern}/`)
}

function packageOf(room: string): string {
  return room.split('/')[0] ?? room
}

function unknownRoom(room: string): string {
  return `the room ${room} is not in the table. Move the file into a room, or add a row to scripts/rooms.ts.`
}

function listOf(allowed: readonly string[]): string {
  return allowed.length === 0 ? 'no other room' : allowed.join(', ')
}

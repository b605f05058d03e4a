import { posix } from 'node:path'
import { isEntryFile, namesFrom, namesIn } from '../entry-points.ts'
import {
  type HouseRules,
  importsIn,
  matchesRoom,
  packageOf,
  roomOf,
  type SourceFile,
  targetRoom,
} from './imports-of-rooms.ts'

/** Returns one text per import that the rules do not allow, and per file that is in no room. */
export function findWrongImports(files: readonly SourceFile[], rules: HouseRules): readonly string[] {
  return files.flatMap(file => {
    const room = roomOf(file.path)
    if (room === undefined) return []
    if (isEntryFile(file.path, rules.entryPoints)) return doorProblems(file)
    if (rules.rooms[room] === undefined) return [`${file.path}: ${unknownRoom(room)}`]
    return importsIn(file.text, rules.entryPoints).flatMap(({ specifier, line }) => {
      const problem = problemOf({ specifier, room, path: file.path }, rules)
      return problem === undefined ? [] : [`${file.path}:${line} imports ${specifier}\n  ${problem}`]
    })
  })
}

/** Returns one text per row, and per entry of a row, that no file needs: the table says what is, not what was. */
export function findStaleRows(files: readonly SourceFile[], rules: HouseRules): readonly string[] {
  const imports = files
    .filter(({ path }) => !isEntryFile(path, rules.entryPoints))
    .map(({ path, text }) => ({
      room: roomOf(path),
      targets: importsIn(text, rules.entryPoints).map(found => targetRoom(found.specifier, path)),
    }))
  return Object.entries(rules.rooms).flatMap(([room, allowed]) => {
    if (room.includes('*')) return []
    const ofRoom = imports.filter(found => found.room === room)
    if (ofRoom.length === 0) return [`scripts/rooms.ts: no file is in the room ${room}. Remove the row.`]
    const targets = ofRoom.flatMap(found => found.targets).filter(target => target !== undefined)
    return allowed
      .filter(pattern => !targets.some(target => matchesRoom(pattern, target)))
      .map(pattern => `scripts/rooms.ts: no file of ${room} imports from ${pattern}. Remove it from the row.`)
  })
}

/** Returns one text per row or entry that stands for several rooms. Only another package may be named as a whole. */
export function findWildcards({ rooms }: Pick<HouseRules, 'rooms'>): readonly string[] {
  return Object.entries(rooms).flatMap(([room, allowed]) => [
    ...(room.includes('*') ? [`scripts/rooms.ts: ${room} is many rooms. Write a row for each of them.`] : []),
    ...allowed
      .filter(entry => entry.includes('*') && !isOtherPackage(entry, room))
      .map(
        entry => `scripts/rooms.ts: ${room} names ${entry}. Name the rooms, or the whole of another package.`,
      ),
  ])
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

/** Returns one text per name of a door for tests that no test of another package imports. */
export function findUnusedTestNames(
  doors: readonly (SourceFile & { readonly specifier: string })[],
  users: readonly SourceFile[],
): readonly string[] {
  return doors.flatMap(({ path, text, specifier }) => {
    const used = new Set(
      users.flatMap(user =>
        [
          ...user.text.matchAll(
            /^import (?:type )?\{([^}]*)\} from '([^']+)'|\{([^}]*)\} = await import\('([^']+)'\)/gm,
          ),
        ]
          .filter(([, , from, , dynamic]) => (from ?? dynamic) === specifier)
          .flatMap(([, names, , dynamicNames]) => namesFrom(names ?? dynamicNames ?? '')),
      ),
    )
    return [...namesIn(text, '').keys()]
      .filter(name => !used.has(name))
      .map(name => `${path}: no other package imports ${name} for its tests. Remove it from the door.`)
  })
}

interface ImportInRoom {
  readonly specifier: string
  readonly path: string
  readonly room: string
}

function problemOf(found: ImportInRoom, rules: HouseRules): string | undefined {
  const { specifier, path, room } = found
  const target = targetRoom(specifier, path)
  if (target === undefined) return foreignProblem(found, rules)
  if (target === 'outside')
    return 'Rule: a src folder imports from src folders only, not from tests or scripts.'
  if (specifier.startsWith('.') && packageOf(target) !== packageOf(room)) {
    return 'Import another package by its name (@throughline/…), not by a path.'
  }
  if (specifier.startsWith('.') && isDoor(specifier, path, rules)) {
    return 'This is a door, for other packages. Import the file behind it.'
  }
  if (target === room) return undefined
  const allowed = rules.rooms[room] ?? []
  if (allowed.some(pattern => matchesRoom(pattern, target))) return undefined
  return [
    `Rule: ${room} may import from ${listOf(allowed)}, not from ${target}.`,
    'Pass in what the file needs, move the file or what it imports, or change scripts/rooms.ts.',
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

/** A door is in no row, so it must not hold code that a row would be about. */
function doorProblems({ path, text }: SourceFile): readonly string[] {
  const rest = text
    .replace(/\/\*.*?\*\/|^\/\/[^\n]*/gms, '')
    .replace(/^export (?:type )?(?:\{[^}]*\}|\*) from '[^']+'$/gm, '')
    .trim()
  return rest === ''
    ? []
    : [`${path}: a door only passes on what files behind it export. Move the code to one.`]
}

function isDoor(specifier: string, path: string, { entryPoints }: HouseRules): boolean {
  return isEntryFile(posix.join(posix.dirname(path), specifier), entryPoints)
}

function isOtherPackage(entry: string, room: string): boolean {
  const [, name] = /^([^/*]+)\/\*\*$/.exec(entry) ?? []
  return name !== undefined && name !== packageOf(room)
}

function matchesModule(pattern: string, specifier: string): boolean {
  if (pattern.endsWith('*')) return specifier.startsWith(pattern.slice(0, -1))
  return specifier === pattern || specifier.startsWith(`${pattern}/`)
}

function unknownRoom(room: string): string {
  return `the room ${room} is not in the table. Move the file into a room, or add a row to scripts/rooms.ts.`
}

function listOf(allowed: readonly string[]): string {
  return allowed.length === 0 ? 'no other room' : allowed.join(', ')
}

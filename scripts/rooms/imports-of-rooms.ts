import { posix } from 'node:path'
import { type EntryPoints, isEntryFile, namesFrom } from '../entry-points.ts'

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

/** For each room the rooms from which its files import, each with the path of a file that does. */
export type RoomGraph = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Returns which room imports from which, as the files are. What doors pass on counts for the files that import it. */
export function roomGraph(files: readonly SourceFile[], { entryPoints }: HouseRules): RoomGraph {
  const graph = new Map<string, Map<string, string>>()
  for (const { path, text } of files) {
    const room = roomOf(path)
    if (room === undefined || isEntryFile(path, entryPoints)) continue
    const targets = graph.get(room) ?? new Map<string, string>()
    graph.set(room, targets)
    for (const { specifier } of importsIn(text, entryPoints)) {
      const target = targetRoom(specifier, path)
      if (target !== undefined && target !== 'outside' && target !== room) targets.set(target, path)
    }
  }
  return graph
}

/** Returns the same graph with packages in place of rooms. */
export function packageGraph(graph: RoomGraph): RoomGraph {
  const packages = new Map<string, Map<string, string>>()
  for (const [room, targets] of graph) {
    const ofPackage = packages.get(packageOf(room)) ?? new Map<string, string>()
    packages.set(packageOf(room), ofPackage)
    for (const [target, path] of targets) {
      if (packageOf(target) !== packageOf(room)) ofPackage.set(packageOf(target), path)
    }
  }
  return packages
}

export interface Import {
  /** For an import through a door: the module behind it. */
  readonly specifier: string
  readonly line: number
}

/** The forms in which the formatter leaves imports: { … } from '…', from '…', import '…', import('…'), new URL('….ts', …). */
const importForms =
  /^(?:import|export)\b(?:[^'"`;{]*\{([^}]*)\})?[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)|\bnew URL\('(\.[^']+\.tsx?)', import\.meta\.url\)/gm

/** Returns what a file imports: also types, also what it loads later or in another thread. */
export function importsIn(text: string, entryPoints: EntryPoints): readonly Import[] {
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

/** Returns the room of what is imported, 'outside' for a file in no src folder, undefined for a foreign module. */
export function targetRoom(specifier: string, path: string): string | undefined {
  const own = /^@throughline\/([^/]+)\/(.+)$/.exec(specifier)
  if (own !== null) return roomOf(`packages/${own[1]}/src/${own[2]}`)
  if (!specifier.startsWith('.')) return undefined
  return roomOf(posix.join(posix.dirname(path), specifier)) ?? 'outside'
}

/** Returns the room of a file, such as `agents/web`, or undefined if it is in no src folder. */
export function roomOf(path: string): string | undefined {
  const [, packageName, rest] = /^(?:packages|apps)\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  if (packageName === undefined || rest === undefined) return undefined
  return posix.join(packageName, posix.dirname(rest))
}

/** Returns the package of a room: `agents` for `agents/web`. */
export function packageOf(room: string): string {
  return room.split('/')[0] ?? room
}

/** Returns whether an entry of the table, which may be a whole package (`agents/**`), stands for a room. */
export function matchesRoom(pattern: string, room: string): boolean {
  if (!pattern.endsWith('/**')) return pattern === room
  const base = pattern.slice(0, -'/**'.length)
  return room === base || room.startsWith(`${base}/`)
}

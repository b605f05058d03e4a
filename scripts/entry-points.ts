import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { publishedPackages } from './published-packages.ts'

/** For each specifier, such as `@throughline/agents/demo`, the module behind every name that it exports. */
export type EntryPoints = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Reads the entry points of all packages from their package.json files and their entry files. */
export function readEntryPoints(root: URL): EntryPoints {
  return new Map(
    publishedPackages.flatMap(({ name, folder }) =>
      sourcesOf(JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))).map(
        ([path, source]): [string, ReadonlyMap<string, string>] => [
          posix.join(name, path),
          namesIn(readFileSync(new URL(posix.join(folder, source), root), 'utf8'), name),
        ],
      ),
    ),
  )
}

/**
 * Returns whether a file is a door of a package: an entry point, or the door for tests, which is not published. A door only
 * passes on what the rooms behind it have.
 */
export function isEntryFile(path: string, entryPoints: EntryPoints): boolean {
  const [, folder = '', file = ''] = /^((?:packages|apps)\/[^/]+)\/src\/([^/]+)\.ts$/.exec(path) ?? []
  if (file === 'testing') return true
  const name = publishedPackages.find(each => each.folder === folder)?.name
  return name !== undefined && entryPoints.has(file === 'index' ? name : `${name}/${file}`)
}

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly 'throughline-source'?: string; readonly types?: string }>
  >
}

function sourcesOf({ exports }: Manifest): readonly [string, string][] {
  return Object.entries(exports).flatMap(([path, target]): [string, string][] => {
    if (typeof target === 'string' || target.types === undefined) return []
    const source = target['throughline-source']
    return source === undefined ? [] : [[path, source]]
  })
}

/** Returns the module behind each name that a door passes on. */
export function namesIn(source: string, packageName: string): ReadonlyMap<string, string> {
  return new Map(
    [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
      ([, names = '', from = '']) =>
        namesFrom(names).map((name): [string, string] => [
          name,
          from.startsWith('./') ? `${packageName}/${from.slice(2).replace(/\.ts$/, '')}` : from,
        ]),
    ),
  )
}

/** Returns the names between the braces of an import or an export, as the other side calls them. */
export function namesFrom(list: string): readonly string[] {
  return list
    .split(',')
    .map(name =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, ''),
    )
    .filter(name => name !== '')
}

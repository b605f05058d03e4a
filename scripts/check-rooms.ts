// Part of `npm run check`: reports every import that the table in rooms.ts does not allow, rooms that import each other,
// folders with too many files, and layers in docs/architecture.md that are not those of today. With `--draw` it writes the
// layers there: a part of `npm run draw`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readEntryPoints } from './entry-points.ts'
import { findFullFolders } from './rooms/find-full-folders.ts'
import { findKnots, tableGraph } from './rooms/find-knots.ts'
import {
  findDeepImports,
  findStaleRows,
  findUnusedTestNames,
  findWildcards,
  findWrongImports,
} from './rooms/find-wrong-imports.ts'
import { packageGraph, roomGraph, type SourceFile } from './rooms/imports-of-rooms.ts'
import { withLayers } from './rooms/layers.ts'
import { foreignModules, rooms } from './rooms.ts'

const root = new URL('../', import.meta.url)

// The testing package is for tests only: it may import everything.
const files = read('{packages,apps}/*/src/**/*.{ts,tsx}').filter(
  ({ path }) => !path.startsWith('packages/testing/'),
)
const testDoors = read('packages/*/src/testing.ts').map(file => ({
  ...file,
  specifier: `@throughline/${file.path.split('/')[1]}/testing`,
}))
const testFiles = read(
  '{packages/testing/src,{packages/*,apps/*}/test,bench,torture,scripts,integrations,examples}/**/*.{ts,tsx}',
)
const folders = find('{{packages,apps}/*/src,{bench,torture}/src,scripts}/**/*.*')

const rules = { rooms, foreignModules, entryPoints: readEntryPoints(root) }
const graph = roomGraph(files, rules)
const knots = [...findKnots(graph), ...findKnots(packageGraph(graph))]
const page = new URL('docs/architecture.md', root)

if (process.argv.includes('--draw')) {
  if (knots.length > 0) report(knots)
  else writeFileSync(page, withLayers(readFileSync(page, 'utf8'), graph))
} else {
  report([
    ...findWrongImports(files, rules),
    ...findWildcards(rules),
    ...findStaleRows(files, rules),
    ...findDeepImports(files, rules),
    ...findUnusedTestNames(testDoors, testFiles),
    ...(knots.length > 0 ? knots : [...findKnots(tableGraph(rules)), ...findOldLayers()]),
    ...findFullFolders(folders),
  ])
}

function findOldLayers(): readonly string[] {
  const text = readFileSync(page, 'utf8')
  if (withLayers(text, graph) === text) return []
  return ['docs/architecture.md: the layers are not those of today. Run "npm run draw".']
}

function report(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) return
  console.error(
    `\n${problems.length} rooms, imports or rows are wrong. The table of rooms is scripts/rooms.ts.`,
  )
  process.exitCode = 1
}

function read(pattern: string): readonly SourceFile[] {
  return find(pattern).map(path => ({ path, text: readFileSync(new URL(path, root), 'utf8') }))
}

function find(pattern: string): readonly string[] {
  const exclude = (name: string) => name.includes('node_modules') || name.endsWith('dist')
  return globSync(pattern, { cwd: fileURLToPath(root), exclude }).map(path => path.replaceAll('\\', '/'))
}

// Part of `npm run check`: reports every import that the table in rooms.ts does not allow.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readEntryPoints } from './entry-points.ts'
import { findDeepImports, findStaleRows, findWrongImports } from './find-wrong-imports.ts'
import { foreignModules, rooms } from './rooms.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const paths = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root }).map(path =>
  path.replaceAll('\\', '/'),
)
// The testing package is for tests only: it may import everything.
const files = paths
  .filter(path => !path.startsWith('packages/testing/'))
  .map(path => ({ path, text: readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') }))

const entryPoints = readEntryPoints(new URL('../', import.meta.url))
const rules = { rooms, foreignModules, entryPoints }
const problems = [
  ...findWrongImports(files, rules),
  ...findStaleRows(files, rules),
  ...findDeepImports(files, rules),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(`\n${problems.length} imports or rows are wrong. The table of rooms is scripts/rooms.ts.`)
  process.exitCode = 1
}

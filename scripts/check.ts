// `npm run check`: runs every check that gates a change, also when one of them fails, and sums up.
import { availableParallelism } from 'node:os'
import { runLanes } from './checks/run-lanes.ts'

const failed = await runLanes(
  [
    [{ name: 'types', command: 'tsc' }],
    [
      { name: 'format and lint', command: 'biome check' },
      { name: 'rooms', command: 'node scripts/check-rooms.ts' },
    ],
    // Built packages would count as code that is used, so they are built after that.
    [
      { name: 'remove built packages', command: 'npm run --silent clean:packages', isNeeded: true },
      { name: 'unused code', command: 'knip' },
      { name: 'code that only tests use', command: 'knip --production' },
      { name: 'build packages', command: 'npm run --silent build:packages', isNeeded: true },
      { name: 'size of the clients', command: 'size-limit' },
      { name: 'packed packages', command: 'npm run --silent check:packages' },
    ],
    [{ name: 'files that run', command: 'npm run --silent trace', isShown: true }],
  ],
  { maxLanes: Math.max(1, Math.min(4, availableParallelism())), print: console.log },
)
console.log(
  failed.length === 0 ? 'All checks are fine.' : `\n${failed.length} checks failed: ${failed.join(', ')}.`,
)
process.exitCode = failed.length === 0 ? 0 : 1

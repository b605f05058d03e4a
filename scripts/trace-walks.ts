// `npm run trace`, a part of `npm run check`: prints how many files of the product run until a posted message is accepted, and for
// a delta. With `--files` it prints their names, and with `--json` those of all walks of docs/architecture.md.
import { traceServer, traceWalks } from './trace/trace-walks.ts'

if (process.argv.includes('--json')) {
  const walks = Object.entries(await traceWalks()).map(([name, files]) => [name, [...files].toSorted()])
  console.log(JSON.stringify(Object.fromEntries(walks)))
} else {
  const { untilAccepted, delta } = await traceServer()
  print(untilAccepted, 'run until a posted message has its 202 (goal: at most 90).')
  print(delta, 'run for a delta of a model (goal: at most 40).')
}
// The server would go on.
process.exit()

function print(files: ReadonlySet<string>, words: string): void {
  console.log(`${files.size} files ${words}`)
  if (process.argv.includes('--files')) console.log([...files].toSorted().join('\n'))
}

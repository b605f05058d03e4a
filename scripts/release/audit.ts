import { execFile } from 'node:child_process'

// Asks the registry whether a dependency that people install has a known weakness. Some registries, such as mirrors, do
// not answer this question. Then nothing is checked, which is said and is no failure: it is nothing that a change could mend.

const command = ['audit', '--omit=dev', '--audit-level=high', '--json']

execFile('npm', command, { maxBuffer: 64 * 1024 * 1024 }, (error, output) => {
  const report = reportIn(output)
  if (report === undefined) {
    console.log(
      'The registry did not answer "npm audit", so nothing was checked. Run it with a registry that does: npm run audit --registry=URL',
    )
    return
  }
  const { critical, high, moderate, low } = report
  console.log(`Known weaknesses: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`)
  if (error === null) return
  console.error(
    '"npm audit --omit=dev" lists them. Change the versions, or say in docs/decisions why they do no harm.',
  )
  process.exitCode = 1
})

interface Counts {
  readonly critical: number
  readonly high: number
  readonly moderate: number
  readonly low: number
}

/** Returns the counts in what npm prints. `undefined` when it is no report. */
function reportIn(output: string): Counts | undefined {
  try {
    return JSON.parse(output).metadata?.vulnerabilities
  } catch {
    return undefined
  }
}

import { exec } from 'node:child_process'

/** One command of a check. */
export interface Step {
  readonly name: string
  /** A command for the shell. What `npm run` finds is found here too. */
  readonly command: string
  /** Whether the later steps of its lane make no sense when it fails. Default: false. */
  readonly isNeeded?: boolean
  /** Whether its output is printed also when it succeeds. Default: false. */
  readonly isShown?: boolean
}

/** Steps that run one after the other. */
export type Lane = readonly Step[]

/**
 * Runs all lanes, some of them at the same time, and prints the output of each step that fails. A step that fails ends nothing but
 * what needs it. Returns the names of the steps that failed or could not run.
 */
export async function runLanes(
  lanes: readonly Lane[],
  { maxLanes, print }: { readonly maxLanes: number; readonly print: (line: string) => void },
): Promise<readonly string[]> {
  const waiting = [...lanes]
  const failed: string[] = []
  const work = async () => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift())
      failed.push(...(await runLane(lane, print)))
  }
  await Promise.all(Array.from({ length: maxLanes }, work))
  return failed
}

async function runLane(lane: Lane, print: (line: string) => void): Promise<readonly string[]> {
  const failed: string[] = []
  for (const [index, step] of lane.entries()) {
    const startedAt = performance.now()
    const { isOk, output } = await run(step.command)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    print(`${isOk ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`)
    if (!isOk || step.isShown) print(output.trimEnd())
    if (isOk) continue
    failed.push(step.name)
    const left = lane.slice(index + 1).map(({ name }) => `${name} (needs: ${step.name})`)
    if (step.isNeeded) return [...failed, ...left]
  }
  return failed
}

function run(command: string): Promise<{ readonly isOk: boolean; readonly output: string }> {
  return new Promise(resolve => {
    exec(command, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ isOk: error === null, output: stdout + stderr }),
    )
  })
}

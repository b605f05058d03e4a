import { type Child, startChild } from '../child.ts'
import { type Script, scripts } from '../delta-source.ts'
import { compared, gain, type Pair } from '../paired.ts'
import { assertWhole, postScript } from '../post-script.ts'
import type { Goal, Measurement, Section } from '../report.ts'
import { median, sleep } from '../timing.ts'

interface Work {
  readonly script: Script
  readonly chats: number
  readonly rounds: { readonly warmUp: number; readonly measured: number }
  readonly goal: Goal
}

const works: readonly Work[] = [
  { script: 'text', chats: 1, rounds: { warmUp: 4, measured: 9 }, goal: { atLeast: 2 } },
  { script: 'tool-input', chats: 1, rounds: { warmUp: 0, measured: 2 }, goal: { atLeast: 2 } },
  // With such a slow source the server has no deltas to join: nearly every delta is an entry with its own commit.
  { script: 'paced-text', chats: 20, rounds: { warmUp: 0, measured: 1 }, goal: undefined },
]

/** Measures the way from the model's delta to the client's socket: our whole server, and the AI SDK with `onEnd`. */
export async function measureServerPath(): Promise<Section> {
  await using ours = await startChild('./throughline-process.ts')
  await using other = await startChild('./ai-sdk-process.ts')
  const measurements: Measurement[] = []
  const events: string[] = []
  for (const work of works) {
    const pairs = await measureWork({ ours, other }, work)
    const { label } = scripts[work.script]
    const { goal } = work
    measurements.push(compared(`${label}, CPU`, pairs.map(costIn('cpuUs')), { goal, ratioOf: gain }))
    // The wall time of a paced answer depends only on the source.
    if (work.script !== 'paced-text')
      measurements.push(compared(`${label}, wall`, pairs.map(costIn('wallUs')), { goal, ratioOf: gain }))
    const sent = pairs.map(costIn('events'))
    events.push(
      `  ${label}: ${median(sent.map(pair => pair.ours))} events, the AI SDK ${median(sent.map(pair => pair.other))}.`,
    )
  }
  return {
    title: 'Server: from a delta to the client’s socket, time per delta',
    notes: [
      'Ours is the whole server: every delta is in SQLite with fsync before it is sent, and the answer is saved at its end.',
      'The AI SDK is createUIMessageStream with onEnd over node:http: nothing is saved. Each server has its own process;',
      'CPU is that of all its threads. At full speed the source gives ten deltas per turn of the event loop. The servers',
      'take turns; the ratio is the median of the rounds. Ours joins the deltas that come while a commit is under way:',
      ...events,
    ],
    columns: { ours: 'ours', other: 'AI SDK' },
    measurements,
  }
}

interface Cost {
  readonly cpuUs: number
  readonly wallUs: number
  readonly events: number
}

function costIn(unit: keyof Cost): (pair: Pair<Cost>) => Pair<number> {
  return ({ ours, other }) => ({ ours: ours[unit], other: other[unit] })
}

async function measureWork(servers: Pair<Child>, work: Work): Promise<readonly Pair<Cost>[]> {
  const { warmUp, measured } = work.rounds
  const pairs: Pair<Cost>[] = []
  for (let turn = 0; turn < warmUp + measured; turn += 1) {
    pairs.push({
      ours: await measureRound(servers.ours, work),
      other: await measureRound(servers.other, work),
    })
  }
  return pairs.slice(warmUp)
}

async function measureRound(server: Child, { script, chats }: Work): Promise<Cost> {
  const deltas = scripts[script].deltas * chats
  const cpuBefore = await server.cpuMs()
  const startedAt = performance.now()
  const events = await Promise.all(Array.from({ length: chats }, () => post(server.url, script)))
  const ms = performance.now() - startedAt
  // Work after the last byte counts, too: our server saves the message then.
  await sleep(100)
  const cpuMs = (await server.cpuMs()) - cpuBefore
  const sum = events.reduce((total, count) => total + count, 0)
  return { cpuUs: (cpuMs * 1000) / deltas, wallUs: (ms * 1000) / deltas, events: sum }
}

/** Plays a script, and returns the number of SSE events in the response. */
async function post(url: string, script: Script): Promise<number> {
  const response = await postScript(url, script)
  const text = await response.text()
  assertWhole(url, text)
  return text.match(/^data: /gm)?.length ?? 0
}

import { type Child, startChild } from '../child.ts'
import { type Script, scripts } from '../delta-source.ts'
import { compared, cost, type Pair } from '../paired.ts'
import { assertWhole, postScript } from '../post-script.ts'
import type { Measurement, Section } from '../report.ts'
import { median, sleep } from '../timing.ts'

/** How much later the first token may come, in milliseconds. */
const maxAddedMs = 15
const firstTokens = { warmUp: 20, measured: 101 }
const wholeAnswers = { warmUp: 2, measured: 5 }

/** Measures an AI SDK service behind `remoteAgent`, and the same service when it is asked directly. */
export async function measureRemote(): Promise<Section> {
  await using other = await startChild('./ai-sdk-process.ts')
  await using ours = await startChild('./remote-process.ts', [other.url])
  const waits = await inTurns(firstTokens, {
    ours: () => firstTokenMs(ours.url),
    other: () => firstTokenMs(other.url),
  })
  const costs = await inTurns(wholeAnswers, { ours: () => cpuUs(ours), other: () => cpuUs(other) })
  return {
    title: 'Remote agents: a service behind remoteAgent, and the same service asked directly',
    notes: [
      'The service is createUIMessageStream over node:http. It writes its first token 10 ms after the request. Ours is the',
      'whole server before it: the question and each token are in SQLite with fsync before they are sent. Both are asked',
      `in turns. The times are medians of ${firstTokens.measured} rounds. CPU is that of the process that the client talks to; for`,
      'remoteAgent, the CPU of the service comes on top.',
    ],
    columns: { ours: 'remoteAgent', other: 'direct' },
    measurements: [
      added(waits),
      compared(`${scripts.text.label}, CPU per chunk`, costs, { goal: undefined, ratioOf: cost }),
    ],
  }
}

interface Rounds {
  readonly warmUp: number
  readonly measured: number
}

async function inTurns(
  { warmUp, measured }: Rounds,
  measure: Pair<() => Promise<number>>,
): Promise<readonly Pair<number>[]> {
  const pairs: Pair<number>[] = []
  for (let turn = 0; turn < warmUp + measured; turn += 1)
    pairs.push({ ours: await measure.ours(), other: await measure.other() })
  return pairs.slice(warmUp)
}

/** The ratio is what `remoteAgent` adds, as a part of what it may add. */
function added(pairs: readonly Pair<number>[]): Measurement {
  const ours = median(pairs.map(pair => pair.ours))
  const other = median(pairs.map(pair => pair.other))
  return {
    name: `first token: +${(ours - other).toFixed(1)} ms, as a part of ${maxAddedMs} ms`,
    ours: `${ours.toFixed(1)} ms`,
    other: `${other.toFixed(1)} ms`,
    ratio: (ours - other) / maxAddedMs,
    goal: { atMost: 1 },
  }
}

/** Returns the time from the request to the first token, in milliseconds. Reads the answer to its end. */
async function firstTokenMs(url: string): Promise<number> {
  const startedAt = performance.now()
  const { body } = await postScript(url, 'short-text')
  let text = ''
  let ms: number | undefined
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (ms === undefined && text.includes('"type":"text-delta"')) ms = performance.now() - startedAt
  }
  assertWhole(url, text)
  if (ms === undefined) throw new Error(`${url} sent no token.`)
  return ms
}

/** Returns the CPU time of the server for each delta of an answer at full speed, in microseconds. */
async function cpuUs(server: Child): Promise<number> {
  const script: Script = 'text'
  const before = await server.cpuMs()
  const response = await postScript(server.url, script)
  assertWhole(server.url, await response.text())
  // Work after the last byte counts, too: our server saves the message then.
  await sleep(100)
  return (((await server.cpuMs()) - before) * 1000) / scripts[script].deltas
}

import type { AgentRequest } from '@throughline/agents/agent'
import { modelAgent } from '@throughline/agents/ai-sdk/model-agent'
import { streamTextEvents } from '@throughline/testing/agent/stream-text-events'
import { models } from '@throughline/testing/provider/converse'
import { type Child, startChild } from '../child.ts'
import { compared, gain, type Pair } from '../paired.ts'
import { assertWhole, postScript } from '../post-script.ts'
import type { Section } from '../report.ts'
import { collectGarbage } from '../timing.ts'
import { deltas, perSecond } from './answer-script.ts'
import { createLocalModel } from './local-model.ts'

const answers = 20
const rounds = { warmUp: 1, measured: 3 }

/** Measures what it costs to run a model: `modelAgent`, `streamText` alone, and `doStream` of the provider alone. */
export async function measureModelLoop(): Promise<Section> {
  await using provider = await startChild('./model-loop/provider-process.ts')
  const remote = await inTurns(waysOf(models['openai-compatible'](provider.url)))
  const local = await inTurns(waysOf(createLocalModel()))
  await using ours = await startChild('./model-loop/server-process.ts', [provider.url])
  await using other = await startChild('./model-loop/server-process.ts', [provider.url, 'streamText'])
  const servers = await inTurns({ ours: () => serverCpu(ours), other: () => serverCpu(other) })
  return {
    title: 'Model loop: from the model to events, CPU per delta',
    notes: [
      'Ours is modelAgent: deltas go past streamText. The other is streamText alone, with every part through it. They run in',
      `turns. ${answers} answers are under way at once, with ${deltas} deltas each, ${perSecond} per second. The HTTP provider is`,
      '@ai-sdk/openai-compatible; it reads from a server in another process, one delta per packet. The last row is no loop at',
      'all: it only reads the stream of doStream, so it is the least that any loop of our own could cost.',
    ],
    columns: { ours: 'ours', other: 'streamText' },
    measurements: [
      compared('model in this process', local, { goal: { atLeast: 3 }, ratioOf: gain }),
      compared('HTTP provider', remote, { goal: { atLeast: 1.5 }, ratioOf: gain }),
      compared('HTTP provider, our whole server', servers, { goal: undefined, ratioOf: gain }),
      compared('HTTP provider, doStream alone', remote.map(leastOf), { goal: undefined, ratioOf: gain }),
    ],
  }
}

type Model = ReturnType<(typeof models)['openai-compatible']> | ReturnType<typeof createLocalModel>
type Measure = () => Promise<number>

function waysOf(model: Model): Pair<Measure> & { readonly least: Measure } {
  const agent = modelAgent({ name: 'bench', model })
  return {
    ours: () => ownCpu(() => countDeltas(agent.run(request))),
    other: () => ownCpu(() => countDeltas(streamTextEvents({ model, tools: {} }, request))),
    least: () => ownCpu(async () => countDeltas((await model.doStream({ prompt })).stream)),
  }
}

const request: AgentRequest = {
  messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }],
  signal: new AbortController().signal,
}
const prompt: Parameters<Model['doStream']>[0]['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
]

/** The CPU per delta of one round, in microseconds. */
interface Costs extends Pair<number> {
  readonly least: number
}

function leastOf({ least, other }: Costs): Pair<number> {
  return { ours: least, other }
}

async function inTurns(measure: Pair<Measure> & { readonly least?: Measure }): Promise<readonly Costs[]> {
  const costs: Costs[] = []
  for (let round = 0; round < rounds.warmUp + rounds.measured; round += 1)
    costs.push({
      ours: await measure.ours(),
      other: await measure.other(),
      least: (await measure.least?.()) ?? 0,
    })
  return costs.slice(rounds.warmUp)
}

/** Returns the CPU time of this process per delta. `answer` returns how many deltas it has got. */
async function ownCpu(answer: () => Promise<number>): Promise<number> {
  collectGarbage()
  const before = process.cpuUsage()
  const counts = await Promise.all(Array.from({ length: answers }, answer))
  const { user, system } = process.cpuUsage(before)
  const wrong = counts.find(count => count !== deltas)
  if (wrong !== undefined) throw new Error(`An answer has ${wrong} deltas. It should have ${deltas}.`)
  return (user + system) / (answers * deltas)
}

async function countDeltas(parts: AsyncIterable<{ readonly type: string }>): Promise<number> {
  let count = 0
  for await (const { type } of parts) if (type === 'text-delta') count += 1
  return count
}

/** Returns the CPU time of all threads of the server per delta. */
async function serverCpu(server: Child): Promise<number> {
  const before = await server.cpuMs()
  await Promise.all(
    Array.from({ length: answers }, async () => {
      const response = await postScript(server.url, 'text')
      assertWhole(server.url, await response.text())
    }),
  )
  return (((await server.cpuMs()) - before) * 1000) / (answers * deltas)
}

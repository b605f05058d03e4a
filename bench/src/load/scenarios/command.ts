import type { Section } from '../../report.ts'
import { sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { now, until } from '../clock.ts'
import { exactlyOnceRow, figureRow } from '../figure-row.ts'
import { afterworkMs, costsOf, countsOf, type Flow, graceMs, plansOf, warmUp } from '../measure-flow.ts'
import { figuresOf } from '../process-figures.ts'
import { type MedianRound, QuietRounds } from '../quiet-rounds.ts'
import { type CliServer, startCliServer } from '../servers/cli-server.ts'
import { createChat, followLog, sendMessage } from '../viewers/viewer-request.ts'
import { startViewers, type Viewers } from '../viewers/viewers.ts'

interface CommandOptions {
  readonly runs: number
  readonly seconds: number
  /** How many rounds on quiet cores are measured. The median is reported. Default: 3. */
  readonly rounds?: number
}

/**
 * Measures many runs as people have them: the server is the command, the agent is a plain one of a configuration file, each
 * viewer has the page of a chat of its own open, and the load comes from other processes on the same cores.
 */
export async function measureCommand({ runs, seconds, rounds = 3 }: CommandOptions) {
  const measured = await new QuietRounds().median(rounds, async () => {
    await using server = await startCliServer()
    return await measureRunsOf(server, { runs, perSecond: 20, chars: 12, seconds })
  })
  return { figures: measured.figures, section: sectionOf(measured) }
}

/** How long it may take to start one run, in milliseconds. */
const startMs = 5

async function measureRunsOf(server: CliServer, flow: Flow) {
  await using viewers = await startViewers(flow.runs)
  await warmUp(viewers, server.url)
  const gate = await startRuns(viewers, server.url, flow)
  await until(gate)
  const before = await figuresOf(server.pid)
  const end = gate + flow.seconds * 1_000
  await until(end)
  const delivered = await viewers.delivered()
  const streamed = await figuresOf(server.pid)
  const ms = now() - gate
  const seen = await viewers.finish(end + graceMs)
  await sleep(afterworkMs)
  const after = await figuresOf(server.pid)
  return {
    ...{ runs: flow.runs, perSecond: flow.perSecond, chars: flow.chars },
    ...countsOf(seen, flow),
    ...costsOf({ before, streamed, after }, { ms, delivered, seen }),
    peakRssBytes: after.peakRssBytes,
  }
}

/** Starts the runs with their viewers. Returns when their deltas begin to be due. No process of the server knows that. */
async function startRuns(viewers: Viewers, url: string, flow: Flow): Promise<number> {
  const chats = plansOf(flow).map(plan => ({ plan, chatId: crypto.randomUUID() }))
  await viewers.request(
    url,
    chats.map(({ chatId }) => createChat(chatId)),
  )
  const gate = now() + 3_000 + flow.runs * 2 * startMs
  const due = (plan: AnswerPlan): AnswerPlan => ({ ...plan, from: '1970', startMs: gate + plan.startMs })
  await viewers.open(
    url,
    chats.map(({ chatId, plan }) => followLog(chatId, due(plan))),
  )
  await viewers.request(
    url,
    chats.map(({ chatId, plan }) => sendMessage(chatId, due(plan))),
  )
  if (now() > gate)
    throw new RangeError(
      `The machine was too busy to start ${flow.runs} runs before they were due. Measure again when it is quiet, or fewer runs.`,
    )
  return gate
}

type CommandFigures = Awaited<ReturnType<typeof measureRunsOf>>

function sectionOf({ figures, rounds }: MedianRound<CommandFigures>): Section {
  const { runs, p50Ms, p99Ms, cpuUsPerDelta, deliveredPerSecond, mainShare } = figures
  return {
    title: `Load, command: ${runs.toLocaleString('en')} runs x 20/s of a plain agent, in the command`,
    notes: [
      'The server is the command (throughline serve) with a plain agent from a configuration file. Each viewer has the log of a',
      'chat of its own open, and the message comes in another request. The viewers and the load are in other processes on the',
      `same cores. The figures are those of the round with the median p99: ${rounds.counted} of ${rounds.measured} rounds counted (see above).`,
    ],
    columns: { ours: 'ours', other: '', result: 'figure' },
    measurements: [
      figureRow('p50, due to socket', p50Ms, { unit: 'ms' }),
      figureRow('p99, due to socket', p99Ms, { unit: 'ms', goal: { atMost: 200 } }),
      figureRow('delivered per second', Math.round(deliveredPerSecond), { unit: 'deltas' }),
      figureRow('CPU per delta', cpuUsPerDelta, { unit: 'µs' }),
      figureRow('main thread', mainShare * 100, { unit: '% of a core' }),
      exactlyOnceRow(figures),
    ],
  }
}

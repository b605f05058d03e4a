import { type Child, startChild } from '../../child.ts'
import { cost, type Pair } from '../../paired.ts'
import type { Section } from '../../report.ts'
import { median, sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { now } from '../clock.ts'
import { Latencies } from '../latencies.ts'
import { type Counts, Viewer } from '../viewers/viewer.ts'
import { askFor } from '../viewers/viewer-request.ts'

const warmUpRounds = 5

interface FirstTextOptions {
  readonly longChat: number
  readonly shortChat: number
  readonly rounds: number
}

/** Measures the time from a question to the first text of its answer, in a long chat and in a short one. */
export async function measureFirstText({ longChat, shortChat, rounds: count }: FirstTextOptions) {
  await using long = await startChild('./load/servers/server-process.ts')
  await using short = await startChild('./load/servers/server-process.ts')
  await long.ask('fillChat', { chatId, count: longChat })
  await short.ask('fillChat', { chatId, count: shortChat })
  const rounds: Pair<number>[] = []
  while (rounds.length < warmUpRounds + count)
    rounds.push({ ours: await firstTextMs(long), other: await firstTextMs(short) })
  const measured = rounds.slice(warmUpRounds)
  return { rounds: measured, section: sectionOf(measured, { longChat, shortChat }) }
}

const chatId = 'history'

/** Asks, and returns how long the first text took, in milliseconds. */
async function firstTextMs(server: Child): Promise<number> {
  const plan: AnswerPlan = { from: '1970', startMs: now(), intervalMs: 0, deltas: 1, chars: 12 }
  const latencies = new Latencies()
  const counts: Counts = { latencies, delivered: 0, lost: 0, doubled: 0, events: 0, broken: 0 }
  const viewer = new Viewer(new URL(server.url), askFor(plan, chatId), counts)
  await viewer.open()
  while (!viewer.isDone) await sleep(1)
  viewer.cut()
  // The end of the run is saved after its last byte. The next question should not have to wait for that.
  await sleep(50)
  return latencies.percentile(0.5)
}

function sectionOf(
  rounds: readonly Pair<number>[],
  { longChat, shortChat }: Pick<FirstTextOptions, 'longChat' | 'shortChat'>,
): Section {
  const milliseconds = (values: readonly number[]) => `${median(values).toFixed(1)} ms`
  return {
    title: 'Load, first text: from a question to the first text of its answer',
    notes: [
      `The two servers are asked in turns. The times and the ratio are medians of ${rounds.length} rounds.`,
    ],
    columns: {
      ours: `${longChat.toLocaleString('en')} messages`,
      other: `${shortChat.toLocaleString('en')} messages`,
    },
    measurements: [
      {
        name: 'POST to first text',
        ours: milliseconds(rounds.map(({ ours }) => ours)),
        other: milliseconds(rounds.map(({ other }) => other)),
        ratio: median(rounds.map(cost)),
        goal: { atMost: 1.5 },
      },
    ],
  }
}

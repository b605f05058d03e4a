import { startChild } from '../../child.ts'
import type { Section } from '../../report.ts'
import { sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { now } from '../clock.ts'
import { exactlyOnceRow, figureRow, megabytes } from '../figure-row.ts'
import { figuresOf, resetPeak } from '../process-figures.ts'
import { askFor, createChat, followLog } from '../viewers/viewer-request.ts'
import { startViewers } from '../viewers/viewers.ts'

const deltaChars = 1_200

interface StalledOptions {
  readonly viewers: number
  /** How much text the answer has, in bytes. */
  readonly answerBytes: number
  /** How long the server is left alone before its memory is read. Default: 2 seconds. */
  readonly settleMs?: number
}

/** The memory of the server before and while viewers do not read, and after they have gone. */
export interface StalledFigures extends Omit<StalledOptions, 'settleMs'> {
  readonly emptyBytes: number
  readonly peakBytes: number
  readonly afterBytes: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
}

/** Measures the memory that viewers take who do not read while a long answer is written. One more viewer does read. */
export async function measureStalled({ viewers: count, answerBytes, settleMs = 2_000 }: StalledOptions) {
  await using server = await startChild('./load/servers/server-process.ts')
  await using viewers = await startViewers(count)
  await using reader = await startViewers(1)
  await viewers.request(server.url, [createChat('read'), createChat('stalled')])
  // A long answer is read once without the others, so that the memory which any long answer takes is not theirs.
  const first = await readAnswer('read')
  await sleep(settleMs)
  const empty = await figuresOf(server.pid)

  await viewers.open(
    server.url,
    Array.from({ length: count }, () => followLog('stalled')),
  )
  await viewers.stall()
  await resetPeak(server.pid)
  const second = await readAnswer('stalled')
  const { peakRssBytes } = await figuresOf(server.pid)
  await viewers.leave()
  await sleep(settleMs)
  const after = await figuresOf(server.pid)
  const figures: StalledFigures = {
    ...{ viewers: count, answerBytes, emptyBytes: empty.rssBytes },
    ...{ peakBytes: peakRssBytes, afterBytes: after.rssBytes },
    lost: first.lost + second.lost,
    doubled: first.doubled + second.doubled,
    late: first.missing + second.missing,
  }
  return { figures, section: sectionOf(figures) }

  async function readAnswer(chatId: string) {
    const deltas = Math.ceil(answerBytes / deltaChars)
    const plan: AnswerPlan = { from: '1970', startMs: now(), intervalMs: 1, deltas, chars: deltaChars }
    await reader.open(server.url, [askFor(plan, chatId)])
    const seen = await reader.finish(now() + 60_000)
    await reader.leave()
    return seen
  }
}

function sectionOf(figures: StalledFigures): Section {
  const { viewers, answerBytes, emptyBytes, peakBytes, afterBytes } = figures
  const other = `${megabytes(emptyBytes)} MB`
  const row = (name: string, bytes: number, goal?: { readonly atMost: number }) => ({
    ...figureRow(name, megabytes(bytes - emptyBytes), { unit: 'MB', goal, other }),
    ours: `${megabytes(bytes)} MB`,
  })
  return {
    title: `Load, stalled: ${viewers.toLocaleString('en')} viewers that do not read an answer of ${megabytes(answerBytes)} MB`,
    notes: [
      'All viewers follow the log of one chat, and stop reading before the answer begins. The figure is the most memory that',
      'the server had meanwhile (RSS), above its memory before they came. One more viewer reads the answer to its end.',
    ],
    columns: { ours: 'with viewers', other: 'without', result: 'above it' },
    measurements: [
      row('most memory', peakBytes, { atMost: 150 }),
      row('after they have gone', afterBytes),
      exactlyOnceRow(figures),
    ],
  }
}

import { startChild } from '../../child.ts'
import type { Section } from '../../report.ts'
import { now, until } from '../clock.ts'
import { exactlyOnceRow, figureRow } from '../figure-row.ts'
import { type FlowFigures, measureFlow } from '../measure-flow.ts'

interface ReadersOptions {
  readonly readers: number
  /** The messages of the chat that they read. */
  readonly messages: number
  readonly chars: number
  readonly runs: number
  readonly seconds: number
}

/** What others got while nobody read the long chat, and while many did. */
export interface ReadersFigures {
  readonly alone: FlowFigures
  readonly beside: FlowFigures
  /** How often the chat was read, and how many bytes that were in all. */
  readonly reads: number
  readonly readBytes: number
}

/** How often all readers read the chat, at the same time. */
const periodMs = 2_000
const chatId = 'long'
const messagesPath = `/api/chats/${chatId}/messages`
const logPath = `/api/chats/${chatId}/log`

/** Measures how much many readers of a long chat delay the answers in other chats. */
export async function measureReaders({ readers, messages, chars, runs, seconds }: ReadersOptions) {
  const flow = { runs, perSecond: 20, chars: 12, seconds }
  await using quiet = await startChild('./load/servers/server-process.ts')
  const alone = await measureFlow({ server: quiet }, flow)
  await using server = await startChild('./load/servers/server-process.ts')
  await server.ask('fillChat', { chatId, count: messages, chars })
  const counts = { reads: 0, readBytes: 0 }
  const chatBytes = await readOnce(new URL(messagesPath, server.url))
  const read = async (end: number) => {
    const paths = Array.from({ length: readers }, (_, index) => (index % 2 === 0 ? messagesPath : logPath))
    await Promise.all(paths.map(path => readUntil(new URL(path, server.url), { end, chatBytes, counts })))
  }
  const beside = await measureFlow({ server, beside: read }, flow)
  const figures: ReadersFigures = { alone, beside, ...counts }
  return { figures, section: sectionOf(figures, { readers, runs }) }
}

interface Reading {
  readonly end: number
  readonly chatBytes: number
  readonly counts: { reads: number; readBytes: number }
}

/** Reads every few seconds, until a time. */
async function readUntil(url: URL, { end, chatBytes, counts }: Reading): Promise<void> {
  for (let nextAt = now() + periodMs; nextAt < end; nextAt += periodMs) {
    await until(nextAt)
    const bytes = await readOnce(url, chatBytes)
    counts.readBytes += bytes
    counts.reads += 1
  }
}

/** Reads a response up to a number of bytes: the stream of a log stays open. Returns how many it has read. */
async function readOnce(url: URL, maxBytes = Number.POSITIVE_INFINITY): Promise<number> {
  const response = await fetch(url)
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes >= maxBytes) break
  }
  return bytes
}

function sectionOf(
  { alone, beside, reads, readBytes }: ReadersFigures,
  { readers, runs }: Pick<ReadersOptions, 'readers' | 'runs'>,
): Section {
  const megabytes = Math.round(readBytes / reads / 1e5) / 10
  return {
    title: `Load, readers: ${readers} readers of a long chat, beside ${runs} runs x 20/s`,
    notes: [
      `Every two seconds all of them read a chat of ${megabytes} MB, at the same time. Half of them get its messages, half`,
      'replay its log. The times are those of the answers in other chats.',
    ],
    columns: { ours: 'with readers', other: 'without', result: 'figure' },
    measurements: [
      figureRow('p50, due to socket', beside.p50Ms, { unit: 'ms', other: `${alone.p50Ms.toFixed(1)} ms` }),
      figureRow('p99, due to socket', beside.p99Ms, {
        unit: 'ms',
        other: `${alone.p99Ms.toFixed(1)} ms`,
        goal: { atMost: 150 },
      }),
      exactlyOnceRow(beside),
    ],
  }
}

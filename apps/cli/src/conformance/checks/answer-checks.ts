import { isDeepStrictEqual } from 'node:util'
import {
  type Entry,
  isChunk,
  isEndChunk,
  isRecord,
  parseEntry,
  parsePosition,
  withoutStepUsage,
} from '@throughline/protocol'
import type { RecordedEvent } from '@throughline/protocol/history'
import { parseJson } from '@throughline/protocol/internal'
import { durationText } from '../../text/units.ts'
import { type Check, failed, type Outcome, passed } from '../evidence/check.ts'
import { describeEvent, eventCount } from '../evidence/sse-stream.ts'

/** Whether an agent answers at all. Almost every other check looks at this answer. */
export const answerChecks: readonly Check[] = [
  {
    name: 'answer/complete',
    title: 'An answer comes, and its stream ends with [DONE]',
    asksAgent: true,
    async run(session, evidence) {
      const { events, end, sentAt } = await evidence.answer()
      const last = events.at(-1)
      if (isWaiting(events))
        return failed({
          expected: 'an answer that ends by itself',
          came: 'an answer that waits for the approval of a tool call',
          advice: 'Choose an agent or a question that needs no approval, with --agent or --message.',
        })
      if (end === 'ended' && last?.data === '[DONE]') {
        const took = durationText(Math.round(last.arrivedAt - sentAt))
        return passed(`${eventCount(events.length)} in ${took}, ${typeOf(events.at(-2))}`)
      }
      const how = {
        enough: 'the stream did not end',
        ended: 'the stream ended without [DONE]',
        cut: 'the connection was cut',
        late: `nothing came for ${durationText(session.agentMs)}`,
      }
      return failed({
        expected: 'events, then "data: [DONE]", then the end of the response',
        came: `${eventCount(events.length)}, then ${how[end]}`,
        advice:
          'Ask the agent in the page. If the answer comes there, look for a time limit of a proxy between here and the server.',
      })
    },
  },
]

/** Whether the stream has ended because its run waits for an approval. The events of such an end have no ids. */
function isWaiting(events: readonly RecordedEvent[]): boolean {
  const asks = events.some(event => typeOf(event) === 'tool-approval-request')
  return asks && events.at(-1)?.data === '[DONE]' && events.at(-2)?.id === undefined
}

/** Returns the type of the chunk in an event. The last one says how the answer has ended: finish, abort or error. */
function typeOf(event: RecordedEvent | undefined): string {
  const chunk = parseJson(event?.data ?? '')
  return isRecord(chunk) ? String(chunk['type']) : 'nothing'
}

const rewritten =
  'Something between here and the server changes the stream, or another program runs behind this address. Ask the server directly, without the proxies, and compare.'

/** Whether everybody is shown the same entries, in the same order, without gaps and without repetitions. */
export const orderChecks: readonly Check[] = [
  {
    name: 'order/stream',
    title: 'The ids of an answer are positions that grow by one',
    needs: ['answer/complete'],
    async run(_session, evidence) {
      const events = (await evidence.answer()).events.slice(0, -1)
      const first = parsePosition(events[0]?.id ?? '')
      // The first entry of a new chat is the user's message, which the sender has already.
      return countingOutcome(events, first === undefined ? undefined : { epoch: first.epoch, seq: 2 })
    },
  },
  {
    name: 'order/log',
    title: 'The log counts 1, 2, 3 … without a gap, in one epoch',
    needs: ['stream/open'],
    async run(_session, evidence) {
      const { events, position } = await evidence.log()
      const counting = countingOutcome(events, { epoch: position.epoch, seq: 1 })
      if (counting.type !== 'passed') return counting
      const wrong = events.find(({ id, data }) => entryIn(data)?.seq !== parsePosition(id ?? '')?.seq)
      if (wrong === undefined) return counting
      return failed({
        expected: 'entries whose "seq" is the number in their id',
        came: describeEvent(wrong),
        advice: rewritten,
      })
    },
  },
  {
    name: 'order/end',
    title: 'The run has one end, and it is last',
    needs: ['order/log'],
    async run(_session, evidence) {
      return endOutcome((await evidence.log()).events.flatMap(({ data }) => entryIn(data) ?? []))
    },
  },
  {
    name: 'order/same',
    title: 'The stream of the answer and the log say the same',
    needs: ['order/stream', 'order/log'],
    async run(_session, evidence) {
      const stream = (await evidence.answer()).events.slice(0, -1)
      const log = (await evidence.log()).events.slice(1)
      const index = log.findIndex((event, place) => !isSame(stream[place], event))
      if (index === -1 && stream.length === log.length) return passed(`${stream.length} chunks`)
      const place = index === -1 ? log.length : index
      return failed({
        expected: `the chunk of ${describeEvent(log[place])}`,
        came: describeEvent(stream[place]),
        advice: rewritten,
      })
    },
  },
]

/** Whether the ids of events count up from a position, in one epoch. */
function countingOutcome(
  events: readonly RecordedEvent[],
  first: { readonly epoch: string; readonly seq: number } | undefined,
): Outcome {
  const wanted = (index: number) =>
    first === undefined ? 'an id such as 1f0c8a6e2b7d4593.2' : `${first.epoch}.${first.seq + index}`
  const wrong = events.findIndex(({ id }, index) => id !== wanted(index))
  if (wrong === -1 && events.length > 0)
    return passed(`${first?.seq} to ${(first?.seq ?? 0) + events.length - 1}`)
  return failed({
    expected: `the id ${wanted(Math.max(0, wrong))}`,
    came: describeEvent(events[Math.max(0, wrong)]),
    advice: rewritten,
  })
}

function endOutcome(entries: readonly Entry[]): Outcome {
  const last = entries.at(-1)
  const answerId = entries.find(({ chunk }) => chunk.type === 'start')?.messageId
  const ends = entries.filter(({ messageId, chunk }) => messageId === answerId && isEndChunk(chunk))
  if (ends.length === 1 && ends[0] === last) return passed(`${last?.chunk.type}`)
  return failed({
    expected: 'one "finish", "abort" or "error" of the answer, as the last entry',
    came: `${ends.length} of them; the last entry is "${last?.chunk.type ?? 'none'}"`,
    advice:
      'This is a bug of the server. Please report it with the log: throughline replay CHAT --url URL --json.',
  })
}

/**
 * Whether an event of the stream is the chunk of an entry. Chunks of sub-agents are in an envelope there, and the end of a
 * step does not say what the step has used.
 */
function isSame(streamed: RecordedEvent | undefined, logged: RecordedEvent): boolean {
  if (streamed?.id !== logged.id) return false
  const entry = parseJson(logged.data)
  if (streamed === undefined || !isRecord(entry)) return false
  const shown = parseJson(streamed.data)
  const { messageId } = entry
  const chunk = isChunk(entry['chunk']) ? withoutStepUsage(entry['chunk']) : entry['chunk']
  const envelope = { type: 'data-sub-agent', id: messageId, transient: true, data: chunk }
  return isDeepStrictEqual(shown, chunk) || isDeepStrictEqual(shown, envelope)
}

function entryIn(data: string): Entry | undefined {
  const parsed = parseEntry(data)
  return parsed.type === 'entry' ? parsed.entry : undefined
}

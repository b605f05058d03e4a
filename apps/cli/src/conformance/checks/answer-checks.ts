import { isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { durationText } from '../../text/duration.ts'
import type { Check } from '../check.ts'
import { failed, passed } from '../outcome.ts'
import type { ReceivedEvent } from '../sse-splitter.ts'
import { eventCount } from '../words.ts'

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
function isWaiting(events: readonly ReceivedEvent[]): boolean {
  const asks = events.some(event => typeOf(event) === 'tool-approval-request')
  return asks && events.at(-1)?.data === '[DONE]' && events.at(-2)?.id === undefined
}

/** Returns the type of the chunk in an event. The last one says how the answer has ended: finish, abort or error. */
function typeOf(event: ReceivedEvent | undefined): string {
  const chunk = parseJson(event?.data ?? '')
  return isRecord(chunk) ? String(chunk['type']) : 'nothing'
}

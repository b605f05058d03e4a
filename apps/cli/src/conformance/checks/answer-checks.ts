import { durationText } from '../../text/duration.ts'
import type { Check } from '../check.ts'
import { failed, passed } from '../outcome.ts'
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
      if (end === 'ended' && last?.data === '[DONE]')
        return passed(`${eventCount(events.length)} in ${durationText(Math.round(last.arrivedAt - sentAt))}`)
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

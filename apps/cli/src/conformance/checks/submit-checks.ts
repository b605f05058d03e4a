import { formatPosition, isRecord } from '@throughline/protocol'
import type { Check } from '../check.ts'
import { describeResponse, type Reply } from '../checked-server.ts'
import { failed, passed } from '../outcome.ts'
import { entriesForm } from '../recorded-answer.ts'
import { readMessages } from '../recorded-log.ts'
import { resumeEverywhere } from '../resume-everywhere.ts'

const retriedAdvice =
  'A client that sends a message again after a cut would be answered twice, and pay twice. Check that one process serves the data folder, and that no proxy changes bodies.'

/** Whether a message can be sent again without harm. */
export const submitChecks: readonly Check[] = [
  {
    name: 'submit/later',
    title: 'A message sent again gets the same stream, and no new run',
    needs: ['order/stream'],
    async run(session, evidence) {
      const { chatId, body, events } = await evidence.answer()
      const { position } = await readMessages(session, chatId)
      const again = await resumeEverywhere(session, {
        after: [''],
        // The client may have missed UI events for good: they are not repeated.
        rest: () => events.filter(({ data }) => !data.includes('"type":"data-ui-event"')),
        request: () => ({ path: `/api/chat?${entriesForm}`, body }),
      })
      if (again.type !== 'passed') return again
      const now = formatPosition((await readMessages(session, chatId)).position)
      if (now === formatPosition(position)) return passed(`still ${position.seq} entries`)
      return failed({
        expected: `the log ends at ${formatPosition(position)}, as before`,
        came: now,
        advice: retriedAdvice,
      })
    },
  },
  {
    name: 'submit/other-text',
    title: 'The id of a message cannot be used for another text',
    needs: ['answer/complete'],
    async run(session, evidence) {
      const { chatId, message } = await evidence.answer()
      const { position } = await readMessages(session, chatId)
      const other = { ...message, parts: [{ type: 'text', text: `${message.parts[0].text} (changed)` }] }
      const path = `/api/chats/${chatId}/messages`
      const { status, text, body } = await session.server.request(path, { body: { message: other } })
      const now = formatPosition((await readMessages(session, chatId)).position)
      const isRefused = status === 409 && isRecord(body) && body['code'] === 'message-id-taken'
      if (isRefused && now === formatPosition(position)) return passed('409 message-id-taken')
      return failed({
        expected: `409 message-id-taken, and the log ends at ${formatPosition(position)}`,
        came: `${describeResponse(status, text)}, and the log ends at ${now}`,
        advice: retriedAdvice,
      })
    },
  },
  // Last, so that the checks of stop come right after it: by then the answer may not have ended.
  {
    name: 'submit/at-once',
    title: 'A message sent twice at once starts one run',
    asksAgent: true,
    async run(_session, evidence) {
      const { replies } = await evidence.twice()
      const [one, other] = replies.map(idsIn)
      if (one !== undefined && one === other) return passed('the same ids twice')
      return failed({
        expected: '202 twice, with the same runId, messageId, responseMessageId and position',
        came: replies.map(({ status, text }) => describeResponse(status, text)).join(' and '),
        advice: retriedAdvice,
      })
    },
  },
]

/** Returns the ids in a 202 as text, to compare them; `undefined` for every other response. */
function idsIn({ status, body }: Reply): string | undefined {
  if (status !== 202 || !isRecord(body)) return undefined
  const ids = ['runId', 'messageId', 'responseMessageId', 'position'].map(key => body[key])
  return ids.every(id => typeof id === 'string') ? JSON.stringify(ids) : undefined
}

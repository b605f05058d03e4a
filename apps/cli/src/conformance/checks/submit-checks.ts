import { formatPosition, isRecord } from '@throughline/protocol'
import { durationText } from '../../text/units.ts'
import { type Check, failed, passed, skipped } from '../evidence/check.ts'
import { describeResponse, type Reply } from '../evidence/checked-server.ts'
import { entriesForm, readLog, readMessages } from '../evidence/evidence.ts'
import { resumeEverywhere } from '../evidence/resume-everywhere.ts'
import type { Session } from '../evidence/session.ts'
import { describeEvent } from '../evidence/sse-stream.ts'

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

const tooShort = 'the answer ended before. Ask for a longer one with --message'

/** Whether only a stop ends a run, and a stop always does. */
export const stopChecks: readonly Check[] = [
  {
    name: 'stop/leaving',
    title: 'A viewer who leaves does not stop the answer',
    needs: ['submit/at-once', 'stream/open'],
    async run(session, evidence) {
      const { chatId, replies } = await evidence.twice()
      const body = replies[0].body
      const start = isRecord(body) ? String(body['position']) : ''
      const seen = await watchFirstEvent(session, `/api/chat/${chatId}/stream?after=${start}`)
      if (seen === undefined) return skipped(tooShort)
      using log = await session.server.open(`/api/chats/${chatId}/log?after=${seen}`)
      await log.until(({ events }) => events.length > 0, session.agentMs)
      const [next] = log.events
      const isStopped = /"type":"abort"|"status":"(stopped|interrupted)"/.test(next?.data ?? '"type":"abort"')
      if (!isStopped) return passed('the answer went on')
      return failed({
        expected: 'more of the answer in the log after the viewer has left',
        came: describeEvent(next),
        advice: 'This is a bug of the server. Please report it.',
      })
    },
  },
  {
    name: 'stop/ends',
    title: 'A stop ends the answer, and the answer says so',
    needs: ['submit/at-once', 'stream/open'],
    async run(session, evidence) {
      const { chatId } = await evidence.twice()
      const stoppedAt = performance.now()
      const { status, text, body } = await stop(session, chatId)
      const took = Math.round(performance.now() - stoppedAt)
      const result = isRecord(body) ? body['result'] : undefined
      if (status === 200 && result === 'already-ended') return skipped(tooShort)
      const { events } = await readLog(session, chatId)
      const { messages } = await readMessages(session, chatId)
      const answer = messages.findLast(message => isRecord(message) && message['role'] === 'assistant')
      const metadata = isRecord(answer) && isRecord(answer['metadata']) ? answer['metadata'] : {}
      const isAborted = events.at(-1)?.data.includes('"type":"abort"') === true
      if (status === 200 && result === 'stopped' && isAborted && metadata['status'] === 'stopped')
        return passed(durationText(took))
      return failed({
        expected:
          '{"result":"stopped"}, an "abort" as the last entry, and the status "stopped" of the answer',
        came: `${describeResponse(status, text)}, ${describeEvent(events.at(-1))}, status ${JSON.stringify(metadata['status'])}`,
        advice: `Stop an answer in the page. If that works, look at what a proxy does with POST /api/chat/ID/stop.`,
      })
    },
  },
  {
    name: 'stop/again',
    title: 'A second stop changes nothing',
    needs: ['submit/at-once'],
    async run(session, evidence) {
      const { chatId } = await evidence.twice()
      await stop(session, chatId)
      const before = formatPosition((await readMessages(session, chatId)).position)
      const second = await stop(session, chatId)
      const after = formatPosition((await readMessages(session, chatId)).position)
      const unknown = await stop(session, session.newChat())
      const isSame = isRecord(second.body) && second.body['result'] === 'already-ended' && before === after
      if (second.status === 200 && isSame && unknown.status === 404) return passed('already-ended')
      return failed({
        expected: `{"result":"already-ended"} with the log still at ${before}, and 404 for an unknown chat`,
        came: `${describeResponse(second.status, second.text)} with the log at ${after}, and ${describeResponse(unknown.status, unknown.text)}`,
        advice: 'This is a bug of the server. Please report it.',
      })
    },
  },
]

/** Reads a run up to its first event, and leaves. Returns that event's id; `undefined` when the run is over already. */
async function watchFirstEvent(session: Session, path: string): Promise<string | undefined> {
  using stream = await session.server.open(path)
  await stream.until(({ events }) => events.length > 0, session.agentMs)
  return stream.events.some(({ data }) => data === '[DONE]') ? undefined : stream.events.at(-1)?.id
}

function stop({ server }: Session, chatId: string) {
  return server.request(`/api/chat/${chatId}/stop`, { body: {} })
}

import { type ChatId, isRecord } from '@throughline/protocol'
import {
  type Accepted,
  type ChatHistory,
  checkHistory,
  type RecordedEvent,
  type SentSubmission,
  type Sighting,
  type Viewer,
} from '@throughline/protocol/history'
import { shorten } from '@throughline/protocol/internal'
import { type Check, failed, passed } from '../evidence/check.ts'
import type { FollowedLog, Reply } from '../evidence/checked-server.ts'
import { type RecordedAnswer, readLog, readMessages, type SubmittedTwice } from '../evidence/evidence.ts'
import type { Session } from '../evidence/session.ts'

/** Whether what was shown is what is saved. */
export const historyChecks: readonly Check[] = [
  {
    name: 'history/ids',
    title: 'Messages are saved under the ids of the application',
    needs: ['answer/complete'],
    async run(session, evidence) {
      const { chatId, message, answerId } = await evidence.answer()
      const { messages } = await readMessages(session, chatId)
      const ids = messages.map(({ id }): string => id)
      if (ids.includes(message.id) && ids.includes(answerId)) return passed(`${ids.length} messages`)
      return failed({
        expected: `the messages ${message.id} and ${answerId}`,
        came: ids.join(', '),
        advice: 'Check that no proxy changes the bodies of requests.',
      })
    },
  },
  {
    name: 'history/agrees',
    title: 'What was sent, shown and saved agrees, in both chats',
    needs: ['resume/log', 'resume/reset', 'stop/again'],
    async run(session, evidence) {
      const histories = [
        await readHistory(session, answerSent(await evidence.answer())),
        await readHistory(session, twiceSent(await evidence.twice())),
      ]
      const [wrong, ...more] = histories.flatMap(checkHistory)
      const streams = histories.reduce((count, { viewers }) => count + viewers.length, 0)
      if (wrong === undefined) return passed(`2 chats, and the log as it was read ${streams} times`)
      return failed({
        expected: 'that nothing was lost, doubled or changed',
        came: shorten(`${wrong.invariant} (${wrong.kind}), ${wrong.chatId}: ${wrong.detail}`, 600),
        advice: `${more.length === 0 ? '' : `There are ${more.length} more like it. `}This is a bug of the server. Please report it with the log: throughline replay CHAT --url URL --json.`,
      })
    },
  },
  {
    name: 'history/delete',
    title: 'A chat that was deleted is gone',
    needs: ['answer/complete'],
    async run({ server }, evidence) {
      const { chatId } = await evidence.answer()
      const chat = `/api/chats/${chatId}`
      const { status } = await server.request(chat, { method: 'DELETE' })
      const paths = [chat, `${chat}/messages`, `${chat}/log`]
      const statuses = await Promise.all(paths.map(async path => (await server.request(path)).status))
      if (status === 204 && statuses.every(each => each === 404)) return passed('204, then 404')
      return failed({
        expected: `204, then 404 for ${paths.join(', ')}`,
        came: `${status}, then ${statuses.join(', ')}`,
        advice: 'Check that no proxy caches responses below /api.',
      })
    },
  },
]

/** What was sent to a chat. */
interface Sent {
  readonly chatId: ChatId
  readonly submission: SentSubmission
}

/** Returns the question of the first answer. Its response is the stream of the answer, not a 202. */
function answerSent({ chatId, message, sentAt }: RecordedAnswer): Sent {
  const [{ text }] = message.parts
  return { chatId, submission: { messageId: message.id, text, said: undefined, sentAt, accepted: [] } }
}

/** Returns the question that was sent twice. */
function twiceSent({ chatId, message, sentAt, replies }: SubmittedTwice): Sent {
  const [{ text }] = message.parts
  const accepted = replies.flatMap(acceptedIn)
  return { chatId, submission: { messageId: message.id, text, said: undefined, sentAt, accepted } }
}

function acceptedIn({ status, body }: Reply): readonly Accepted[] {
  if (status !== 202 || !isRecord(body)) return []
  return [{ runId: String(body['runId']), responseMessageId: String(body['responseMessageId']) }]
}

/** Reads a chat in which nothing goes on. Returns everything that is known about it, for the checker of histories. */
async function readHistory(
  session: Session,
  { chatId, submission }: Sent,
): Promise<ChatHistory & { readonly viewers: readonly Viewer[] }> {
  const { server } = session
  const { events } = await readLog(session, chatId)
  const { messages } = await readMessages(session, chatId)
  // 204: no run goes on.
  const { status } = await server.request(`/api/chat/${chatId}/stream`)
  const followed = server.followed.filter(log => log.chatId === chatId)
  return {
    chatId,
    saved: { log: bytesOf(events), messages, isRunning: status !== 204 },
    submissions: [submission],
    viewers: followed.map(log => ({ sightings: [sightingOf(log)], hasStayed: false })),
  }
}

function sightingOf({ after, stream }: FollowedLog): Sighting {
  let length = 0
  const arrivals = stream.events.map(event => {
    length += bytesOf([event]).length
    return { at: event.arrivedAt, length }
  })
  return { after, bytes: bytesOf(stream.events), arrivals }
}

/** Returns the bytes of events. A proxy may have changed how lines end, which means the same. */
function bytesOf(events: readonly RecordedEvent[]): string {
  return events.map(({ bytes }) => bytes.replaceAll('\r\n', '\n')).join('')
}

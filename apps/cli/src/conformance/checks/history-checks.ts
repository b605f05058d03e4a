import { isDeepStrictEqual } from 'node:util'
import {
  type ChatState,
  emptyChat,
  FoldError,
  fold,
  isRecord,
  messagesOf,
  parseEntry,
} from '@throughline/protocol'
import { parseJson, shorten } from '@throughline/protocol/internal'
import type { Check } from '../check.ts'
import { failed, type Outcome, passed } from '../outcome.ts'
import { readMessages } from '../recorded-log.ts'
import type { ReceivedEvent } from '../sse-splitter.ts'

/** Whether what was shown is what is saved. */
export const historyChecks: readonly Check[] = [
  {
    name: 'history/ids',
    title: 'Messages are saved under the ids of the application',
    needs: ['answer/complete'],
    async run(session, evidence) {
      const { chatId, message, answerId } = await evidence.answer()
      const { messages } = await readMessages(session, chatId)
      const ids = messages.map(saved => (isRecord(saved) ? saved['id'] : undefined))
      if (ids.includes(message.id) && ids.includes(answerId)) return passed(`${ids.length} messages`)
      return failed({
        expected: `the messages ${message.id} and ${answerId}`,
        came: ids.join(', '),
        advice: 'Check that no proxy changes the bodies of requests.',
      })
    },
  },
  {
    name: 'history/fold',
    title: 'The saved messages are what the log says',
    needs: ['order/log'],
    async run(session, evidence) {
      const { chatId } = await evidence.answer()
      const { events } = await evidence.log()
      const { messages } = await readMessages(session, chatId)
      return foldOutcome(events, messages)
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

/** Folds the log as every client does, and compares. */
function foldOutcome(events: readonly ReceivedEvent[], saved: readonly unknown[]): Outcome {
  const advice = 'This is a bug of the server. Please report it with the log: throughline replay CHAT --json.'
  const folded = foldAll(events)
  if (folded instanceof FoldError)
    return failed({ expected: 'a log that can be folded', came: folded.message, advice })
  // As JSON, because fields that are undefined are not sent.
  const shown: unknown = parseJson(JSON.stringify(messagesOf(folded)))
  if (isDeepStrictEqual(shown, saved)) return passed(`${saved.length} messages`)
  const [one, other] = [shown, saved].map(value => shorten(JSON.stringify(value), 400))
  return failed({ expected: `${one}`, came: `${other}`, advice })
}

function foldAll(events: readonly ReceivedEvent[]): ChatState | FoldError {
  try {
    return events.reduce((chat, { data }) => {
      const parsed = parseEntry(data)
      return parsed.type === 'entry' ? fold(chat, parsed.entry) : chat
    }, emptyChat())
  } catch (error) {
    if (error instanceof FoldError) return error
    throw error
  }
}

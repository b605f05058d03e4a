import { logName } from '@throughline/log'
import { isChatId, isMessageId, isRunId } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Store } from '@throughline/store/testing'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Payload } from './make-payloads.ts'
import { payloadMessages } from './payload-messages.ts'

/**
 * Saves a chat that has these payloads in its title, its messages and its log, as if one run had written them all.
 * Nothing on the way to the store can refuse or change them.
 */
export async function savePayloadChat(store: Store, id: string, payloads: readonly Payload[]): Promise<void> {
  const at = new Date().toISOString()
  const chat = { ownerId: ownerIdOf('local'), chatId: idOf(isChatId, id) }
  const messages = payloads.flatMap(payloadMessages)
  const ids = messages.map(message => idOf(isMessageId, message.id))
  const [first] = messages
  const [userMessageId, answerId] = ids
  if (first === undefined || userMessageId === undefined || answerId === undefined)
    throw new RangeError('A chat has one payload or more.')
  const runId = idOf(isRunId, `run-of-${id}`)
  const run: Run = {
    ...chat,
    id: runId,
    agent: 'assistant',
    userMessageId,
    answerId,
    afterSeq: 0,
    startedAt: at,
    status: 'running',
    kind: 'answer',
  }
  const title = payloads.map(({ text }) => text).join(' ')
  await store.runs.claim(run, {
    chat: { id: chat.chatId, title, createdAt: at, updatedAt: at },
    userMessage: { message: first, runId, seq: undefined },
  })
  const lease = await store.log.acquire(logName(chat))
  const entries = await appendAtEnd(
    store.log,
    lease,
    messages.map(data => ({
      runId,
      messageId: idOf(isMessageId, data.id),
      chunk: { type: 'data-message', id: data.id, transient: true, data },
    })),
  )
  await store.runs.end(run, {
    status: 'finished',
    at,
    seq: entries.length,
    messages: messages.map((message, index) => ({ message, runId, seq: entries[index]?.seq })),
  })
}

import { logName } from '@throughline/log'
import {
  type ChatId,
  isMessageId,
  isRunId,
  type Message,
  type MessageChunk,
  type OwnerId,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Store } from '@throughline/store/testing'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { idOf } from '../log/id-of.ts'

interface HistoryOptions {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly count: number
  /** How long each text is at least. Default: as short as it can be. */
  readonly chars?: number | undefined
}

/**
 * Saves a chat with many messages in the log and in the rows, with three writes, as if one run had written them all.
 */
export async function saveHistory(
  store: Store,
  { ownerId, chatId, count, chars = 0 }: HistoryOptions,
): Promise<void> {
  const at = new Date(0).toISOString()
  const messages = Array.from({ length: count }, (_, index) => oldMessage(index, { at, chars }))
  const [first, second] = messages
  if (first === undefined || second === undefined) throw new RangeError('A history has two messages or more.')
  const runId = idOf(isRunId, 'run-of-history')
  const run: Run = {
    id: runId,
    ownerId,
    chatId,
    agent: 'assistant',
    userMessageId: idOf(isMessageId, first.id),
    answerId: idOf(isMessageId, second.id),
    afterSeq: 0,
    startedAt: at,
    status: 'running',
    kind: 'answer',
  }
  await store.runs.claim(run, {
    chat: { id: chatId, title: 'History', createdAt: at, updatedAt: at },
    userMessage: { message: first, runId, seq: undefined },
  })
  const lease = await store.log.acquire(logName({ ownerId, chatId }))
  const entries = await appendAtEnd(
    store.log,
    lease,
    messages.map(message => ({ runId, messageId: idOf(isMessageId, message.id), chunk: enters(message) })),
  )
  await store.runs.end(run, {
    status: 'finished',
    at,
    seq: count,
    messages: messages.map((message, index) => ({ message, runId, seq: entries[index]?.seq })),
  })
}

function oldMessage(
  index: number,
  { at: createdAt, chars }: { readonly at: string; readonly chars: number },
): Message {
  const isUser = index % 2 === 0
  return {
    id: `old-${index}`,
    role: isUser ? 'user' : 'assistant',
    parts: [{ type: 'text', text: `Message ${index}`.padEnd(chars, ' and so on') }],
    metadata: isUser ? { createdAt } : { createdAt, status: 'finished' },
  }
}

function enters(data: Message): MessageChunk {
  return { type: 'data-message', id: data.id, transient: true, data }
}

import { emptyChat, messagesOf } from '@throughline/protocol/chat-state'
import type { Chunk } from '@throughline/protocol/chunk'
import { fold } from '@throughline/protocol/fold'
import type { Message } from '@throughline/protocol/message'
import { entryEvent } from '@throughline/server/stream/sse-events'
import type { ChatHistory } from '../src/history/history.ts'
import { entryIn, loggedEventsIn } from '../src/history/logged-events.ts'

export const epoch = '0123456789abcdef'

/** A chunk of a made log. Without more, it is of the run `run-1` and of the answer `answer-1`. */
export interface MadeEntry {
  readonly runId?: string
  readonly messageId?: string
  readonly chunk: Chunk
}

/** Returns the bytes of one entry of a log. */
export function bytesOf({ runId = 'run-1', messageId = 'answer-1', chunk }: MadeEntry, seq: number): string {
  return Buffer.from(entryEvent(epoch, seq, { seq, at: seq, runId, messageId, chunk })).toString('latin1')
}

export function userChunk(id: string, text: string): Chunk {
  const message = { id, role: 'user', parts: [{ type: 'text', text }] } as const
  return { type: 'data-message', id, data: message, transient: true }
}

export function delta(text: string): Chunk {
  return { type: 'text-delta', id: 'text-1', delta: text }
}

/** The run of one question: "one two " in three deltas, and its end. */
export const soundEntries: readonly MadeEntry[] = [
  { messageId: 'question-1', chunk: userChunk('question-1', 'Count.') },
  { chunk: { type: 'start', messageId: 'answer-1', messageMetadata: { status: 'streaming' } } },
  { chunk: { type: 'text-start', id: 'text-1' } },
  { chunk: delta('one ') },
  { chunk: delta('two ') },
  { chunk: { type: 'text-end', id: 'text-1' } },
  { chunk: { type: 'finish', messageMetadata: { status: 'finished' } } },
]

/** Returns a history with this log, in which nothing is wrong: a viewer has seen the whole log, and it is saved. */
export function historyOf(entries: readonly MadeEntry[], changes: Partial<ChatHistory> = {}): ChatHistory {
  const log = entries.map((entry, index) => bytesOf(entry, index + 1)).join('')
  return {
    chatId: 'chat',
    log,
    messages: savedFrom(log),
    submissions: [
      {
        messageId: 'question-1',
        text: 'Count.',
        said: 'one two ',
        accepted: [{ runId: 'run-1', responseMessageId: 'answer-1' }],
      },
    ],
    sightings: [{ after: `${epoch}.0`, bytes: `retry: 1000\n\n${log}` }],
    viewers: [],
    stops: [],
    isRunning: false,
    ...changes,
  }
}

/** Returns the messages of a log. A bad log may have an entry that cannot be folded: what is before it counts. */
function savedFrom(log: string): readonly Message[] {
  let chat = emptyChat()
  try {
    for (const event of loggedEventsIn(log)) chat = fold(chat, entryIn(event))
  } catch {
    // The check finds the same.
  }
  return JSON.parse(JSON.stringify(messagesOf(chat)))
}

import { logName } from '@throughline/log'
import {
  type ChatKey,
  isChatId,
  isMessageId,
  isOwnerId,
  type Position,
  parsePosition,
} from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { sseTransport } from '../../src/stream/bytes/send-stream.ts'
import { chunkForm } from '../../src/stream/chunks/chunk-stream.ts'
import { viewLog } from '../../src/stream/log/view-log.ts'
import { runStart } from '../../src/stream/run-pages.ts'
import { viewRun } from '../../src/stream/view-run.ts'

/** The chat of all tests here. */
export const chat = chatKeyOf('local', 'chat')

/** Both signals of a view that shows what is in the log now, and ends. */
const now = { signal: new AbortController().signal, closing: AbortSignal.abort() }

/** Returns the whole log of the chat in the bytes that `GET /api/chats/chat/log` sends, read from the store. */
export async function logBytes({ log }: Store): Promise<string> {
  const { epoch } = await log.open(logName(chat))
  return joined(viewLog(log, chat, { after: { epoch, seq: 0 }, ...now }))
}

/** Returns the run of `question` in the bytes that `POST /api/chat` sends, read from the store. */
export async function runBytes(store: Store, position?: string): Promise<string> {
  const asked: unknown = 'question'
  const run = isMessageId(asked) ? await store.runs.ofUserMessage(chat, asked) : undefined
  if (run === undefined) throw new Error('There is no run.')
  const after: Position = parsePosition(position ?? '') ?? (await runStart(store.log, run))
  const seen = { after, events: 0 }
  const form = chunkForm(run, { seen, continues: false, subAgents: 'hidden', hasVersionNote: true })
  return joined(viewRun(store, run, { form, after, approvals: 'wait', ...now }))
}

async function joined(pages: AsyncIterable<readonly Uint8Array[]>): Promise<string> {
  const pieces = (await Array.fromAsync(pages)).flat()
  return Buffer.concat([sseTransport.opening, ...pieces]).toString()
}

function chatKeyOf(ownerId: string, chatId: string): ChatKey {
  if (!isOwnerId(ownerId) || !isChatId(chatId)) throw new TypeError('These are no ids.')
  return { ownerId, chatId }
}

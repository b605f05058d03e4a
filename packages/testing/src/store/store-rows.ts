import {
  type ChatKey,
  isChatId,
  isMessageId,
  isOwnerId,
  isRunId,
  type Message,
  type OwnerId,
  type Part,
} from '@throughline/protocol'
import type { ChatRecord, Run, RunEnd } from '@throughline/store'
import type { MessageToSave } from '@throughline/store/testing'
import { idOf } from '../log/id-of.ts'

export const ada: OwnerId = idOf(isOwnerId, 'ada')
export const bob: OwnerId = idOf(isOwnerId, 'bob')
export const chatId = idOf(isChatId, 'chat')
export const adasChat: ChatKey = { ownerId: ada, chatId }
export const bobsChat: ChatKey = { ownerId: bob, chatId }

/** Returns a time. A larger number gives a later time. */
export function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
}

export function testChat(change: { id?: string; title?: string; minute?: number } = {}): ChatRecord {
  const { id = 'chat', title = 'A title', minute = 0 } = change
  return { id: idOf(isChatId, id), title, createdAt: at(minute), updatedAt: at(minute) }
}

export interface TestRun {
  readonly ownerId?: OwnerId
  readonly chatId?: string
  readonly userMessageId?: string
  readonly minute?: number
}

/** Returns a run. The id of its answer is made from the id of the run. */
export function testRun(id: string, options: TestRun = {}): Run {
  const { ownerId = ada, chatId = 'chat', userMessageId = 'question', minute = 0 } = options
  return {
    id: idOf(isRunId, id),
    ownerId,
    chatId: idOf(isChatId, chatId),
    agent: 'master',
    userMessageId: idOf(isMessageId, userMessageId),
    answerId: idOf(isMessageId, `${id}-answer`),
    afterSeq: 0,
    startedAt: at(minute),
    status: 'running',
    kind: 'answer',
  }
}

export function textParts(...texts: readonly string[]): Part[] {
  return texts.map(text => ({ type: 'text', text }))
}

export function userMessage(id: string, text = 'Hello?'): Message {
  return { id, role: 'user', parts: textParts(text), metadata: { senderName: 'Ada' } }
}

export function answer(id: string, ...texts: readonly string[]): Message {
  return { id, role: 'assistant', parts: textParts(...texts), metadata: { status: 'finished' } }
}

/** Returns what `claim` needs besides the run: its chat and its user message, which has no place yet. */
export function startOf(
  run: Run,
  change: { title?: string; text?: string } = {},
): { chat: ChatRecord; userMessage: MessageToSave } {
  const { title = 'A title', text = 'Hello?' } = change
  return {
    chat: { id: run.chatId, title, createdAt: run.startedAt, updatedAt: run.startedAt },
    userMessage: { message: userMessage(run.userMessageId, text), runId: run.id, seq: undefined },
  }
}

/** Returns the end of a run whose messages begin at the entries `seq`, `seq + 1` and so on. */
export function endOf(
  run: Run,
  messages: readonly Message[],
  options: { seq: number; minute?: number },
): RunEnd {
  return {
    status: 'finished',
    at: at(options.minute ?? 1),
    seq: options.seq + messages.length,
    messages: messages.map((message, index) => ({ message, runId: run.id, seq: options.seq + index })),
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, type Message } from '@throughline/protocol'
import { type ChatHistory, checkHistory, loggedEventsIn, type Violation } from '@throughline/protocol/history'
import { outcomeUnknownText } from '@throughline/protocol/internal'
import type { HttpClient } from '@throughline/testing/http/http-client'
import { type ChatReading, readChat } from '@throughline/testing/http/read-chat'
import { checkDelegates } from './check-delegates.ts'
import { emptyTally, type Tally } from './tally.ts'

export interface CheckOptions {
  readonly client: HttpClient
  /** How long a run may go on before it counts as left running. */
  readonly patienceMs: number
  /**
   * What no fault may end: answers, or also the calls of their tools. With `known calls`, nobody needs to know whether a call
   * was made that was under way when another node took the run over. Stopped answers are as they should be.
   */
  readonly mustWork?: 'answers' | 'answers and known calls' | 'answers and tools' | undefined
  /** Whether the database may have lost what it had acknowledged. Default: false. */
  readonly mayLose?: boolean
  /** Is told what was read, before it is compared. */
  readonly onRead?: (reading: Extract<ChatReading, { type: 'chat' }>) => void
}

/** What is known about a chat that is to be checked. */
export interface CheckedChat {
  readonly id: string
  /** Whether the server has said that it has a message of this chat. */
  readonly isKnown: boolean
  /** Returns the history so far, as the checks need it. */
  history(reading: Extract<ChatReading, { type: 'chat' }>, isRunning: boolean): ChatHistory
  /** Called when the history was compared. */
  settle(reading: Extract<ChatReading, { type: 'chat' }>): void
}

/** Reads a chat over HTTP, and compares it with everything that is known about it. `undefined`: the server is gone. */
export async function checkChat(chat: CheckedChat, options: CheckOptions): Promise<Tally | undefined> {
  const { client, mustWork, mayLose = false, onRead } = options
  const state = await stateOf(chat.id, options)
  const reading = await readChat(client, chat.id)
  if (reading.type === 'failed') {
    const health = await client.get('/health')
    if (health.type === 'broken') return undefined
    return failed(chat.id, reading.problem)
  }
  // No letter has reached the server before it was killed.
  if (reading.type === 'missing') return chat.isKnown ? failed(chat.id, 'The chat is missing.') : emptyTally
  onRead?.(reading)
  const history = chat.history(reading, state === 'running')
  const violations = [
    ...checkHistory({ ...history, mayLose }),
    ...checkDelegates(chat.id, reading.messages),
    ...endedByFaults(chat.id, reading.messages, mustWork),
  ]
  const sightings = (history.viewers ?? []).flatMap(viewer => viewer.sightings)
  const shown = sightings.reduce((count, { bytes }) => count + loggedEventsIn(bytes).length, 0)
  chat.settle(reading)
  return { ...emptyTally, shownChunks: shown, violations }
}

/**
 * Waits until no run goes on in a chat, and no message waits for one. Returns `running` when one still does after the given
 * time.
 */
async function stateOf(chatId: string, { client, patienceMs }: CheckOptions): Promise<'idle' | 'running'> {
  const until = Date.now() + patienceMs
  for (;;) {
    // Read first: a message that leaves the queue has a run in the same moment.
    const isQueueEmpty = await hasEmptyQueue(client, chatId)
    const { end } = await client.follow(`/api/chat/${chatId}/stream`, { isEnough: () => Date.now() >= until })
    // 204: no run goes on. A connection that broke is noticed by the caller.
    if (end === 'broken' || (end === 'refused' && isQueueEmpty)) return 'idle'
    if (Date.now() >= until) return 'running'
    if (end === 'refused') await pause(10)
  }
}

/** Also true when there is no such chat, or when the server is gone. */
async function hasEmptyQueue(client: HttpClient, chatId: string): Promise<boolean> {
  const reply = await client.get(`/api/chats/${chatId}/queue`)
  if (reply.type === 'broken' || reply.status !== 200) return true
  const body: unknown = JSON.parse(reply.body)
  return isRecord(body) && Array.isArray(body['queue']) && body['queue'].length === 0
}

/** D9: a fault that passes ends no answer, and no call of a tool. */
function endedByFaults(
  chatId: string,
  messages: readonly Message[],
  mustWork: CheckOptions['mustWork'],
): readonly Violation[] {
  if (mustWork === undefined) return []
  const isWhole = ({ role, metadata }: Message) =>
    role !== 'assistant' || ['finished', 'stopped'].includes(metadata?.status ?? '')
  const ended = messages
    .filter(message => !isWhole(message))
    .map(({ id, metadata }) => `Answer ${id} is ${metadata?.status}: ${metadata?.statusText}`)
  const failed = messages.flatMap(({ id, parts, metadata }) =>
    parts.flatMap(part => {
      if (metadata?.status === 'stopped' || !('errorText' in part)) return []
      const isUnknown = mustWork === 'answers and known calls' && part.errorText === outcomeUnknownText
      return isUnknown || isRefusal.test(part.errorText ?? '')
        ? []
        : [`A tool of ${id} has failed: ${part.errorText}`]
    }),
  )
  const details = mustWork === 'answers' ? ended : [...ended, ...failed]
  return details.map(detail => ({ kind: 'other', invariant: 'D9', chatId, detail }))
}

/** A node refuses tools while it does not know whether another node goes on with the answer. Then nothing was done. */
const isRefusal = /was not called, and nothing was done/

function failed(chatId: string, detail: string): Tally {
  return { ...emptyTally, violations: [{ kind: 'lost', invariant: 'D4', chatId, detail }] }
}

import { setTimeout as pause } from 'node:timers/promises'
import { isRecord } from '@throughline/protocol/chunk'
import { checkHistory } from '../history/check-history.ts'
import { loggedEventsIn } from '../history/logged-events.ts'
import { follow } from '../http/follow.ts'
import type { JsonClient } from '../http/json-client.ts'
import { readChat } from '../http/read-chat.ts'
import { emptyTally, type Tally } from './tally.ts'
import type { TorturedChat } from './tortured-chat.ts'

export interface CheckOptions {
  readonly client: JsonClient
  readonly url: string
  /** How long a run may go on before it counts as left running. */
  readonly patienceMs: number
}

/** Reads a chat over HTTP, and compares it with everything that is known about it. `undefined`: the server is gone. */
export async function checkChat(chat: TorturedChat, options: CheckOptions): Promise<Tally | undefined> {
  const { client, url } = options
  const state = await stateOf(chat.id, options)
  const reading = await readChat(client, url, chat.id)
  if (reading.type === 'failed') {
    const health = await client.get('/health')
    if (health.type === 'broken') return undefined
    return failed(chat.id, reading.problem)
  }
  // No letter has reached the server before it was killed.
  if (reading.type === 'missing') return chat.isKnown ? failed(chat.id, 'The chat is missing.') : emptyTally
  const history = chat.history(reading, state === 'running')
  const violations = checkHistory(history)
  const shown = history.sightings.reduce((count, { bytes }) => count + loggedEventsIn(bytes).length, 0)
  chat.settle(reading)
  return { ...emptyTally, shownChunks: shown, violations }
}

/**
 * Waits until no run goes on in a chat, and no message waits for one. Returns `running` when one still does after the given
 * time.
 */
async function stateOf(
  chatId: string,
  { client, url, patienceMs }: CheckOptions,
): Promise<'idle' | 'running'> {
  const until = Date.now() + patienceMs
  for (;;) {
    // Read first: a message that leaves the queue has a run in the same moment.
    const isQueueEmpty = await hasEmptyQueue(client, chatId)
    const { end } = await follow(url, {
      path: `/api/chat/${chatId}/stream`,
      isEnough: () => Date.now() >= until,
    })
    // 204: no run goes on. A connection that broke is noticed by the caller.
    if (end === 'broken' || (end === 'refused' && isQueueEmpty)) return 'idle'
    if (Date.now() >= until) return 'running'
    if (end === 'refused') await pause(10)
  }
}

/** Also true when there is no such chat, or when the server is gone. */
async function hasEmptyQueue(client: JsonClient, chatId: string): Promise<boolean> {
  const reply = await client.get(`/api/chats/${chatId}/queue`)
  if (reply.type === 'broken' || reply.status !== 200) return true
  const body: unknown = JSON.parse(reply.body)
  return isRecord(body) && Array.isArray(body['queue']) && body['queue'].length === 0
}

function failed(chatId: string, detail: string): Tally {
  return { ...emptyTally, violations: [{ kind: 'lost', invariant: 'D4', chatId, detail }] }
}

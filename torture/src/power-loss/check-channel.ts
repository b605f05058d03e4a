import { setTimeout as pause } from 'node:timers/promises'
import { checkHistory } from '@throughline/protocol/history'
import type { WebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import type { HttpClient } from '@throughline/testing/http/http-client'
import { readChat } from '@throughline/testing/http/read-chat'
import { emptyTally, type Tally } from '../scenarios/tally.ts'
import type { Known } from './known-chats.ts'

interface Options {
  readonly client: HttpClient
  /** Gets what is still to be delivered. */
  readonly receiver: WebhookReceiver
}

const chatId = 'hook:room'
const patienceMs = 10_000

/**
 * C6: what the receiver got before the power loss and what it gets now are the answers of the chat, in order, without a gap
 * and with each block once. A message that the channel has taken is there.
 */
export async function checkChannel(known: Known, { client, receiver }: Options): Promise<Tally> {
  const until = Date.now() + patienceMs
  for (;;) {
    const reading = await readChat(client, chatId)
    const messages = reading.type === 'chat' ? reading.messages : []
    const missing = known.channelMessages.find(id => messages.every(message => message.id !== id))
    if (missing !== undefined) return lost(`The channel has taken the message ${missing}, which is gone.`)
    const posts = [...known.blocks, ...receiver.shown]
    const saved = reading.type === 'chat' ? { ...reading, isRunning: false } : undefined
    const violations = checkHistory({ chatId, ...(saved && { saved }), posts })
    if (violations.length === 0) return emptyTally
    if (Date.now() > until) return { ...emptyTally, violations }
    await pause(20)
  }
}

function lost(detail: string): Tally {
  return { ...emptyTally, violations: [{ kind: 'lost', invariant: 'C6', chatId, detail }] }
}

import { logName, readBetween } from '@throughline/log'
import {
  type ChatKey,
  type ChatState,
  chatFrom,
  fold,
  type Message,
  messagesOf,
  type Position,
} from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import type { Store } from '@throughline/store'

/** The messages of a chat at one moment. */
export interface History {
  readonly messages: readonly Message[]
  /** A reader that follows the log from here goes on exactly where these messages end. */
  readonly position: Position
  /** The same, for a reader that has these messages without the answers that are still being written. */
  readonly settled: Position
}

/**
 * Returns the messages of a chat as they are now: the saved rows, and the entries that the log has gained since,
 * folded into them. An answer that is still being written is there as far as the log has it. Returns `undefined` when
 * there is no such chat.
 */
export async function loadHistory(store: Store, chat: ChatKey): Promise<History | undefined> {
  const saved = await store.messages.load(chat)
  if (saved === undefined) return undefined
  const name = logName(chat)
  const { epoch, seq: upTo } = await store.log.open(name)
  const after = { epoch, seq: Math.min(saved.savedSeq, upTo) }

  const entries = (await Array.fromAsync(readBetween(store.log, name, { after, upTo }))).flat()
  // A sub-agent's message is saved while its run goes on. These entries contain the whole message again, so the row
  // is left out.
  const going = new Set<string>(entries.map(entry => entry.runId))
  const rows = saved.messages.filter(({ message, runId }) => message.role === 'user' || !going.has(runId))
  const state = entries.reduce(
    fold,
    chatFrom(
      rows.map(({ message }) => message),
      after.seq,
    ),
  )
  return {
    messages: messagesOf(state),
    position: { epoch, seq: state.seq },
    settled: { epoch, seq: settledSeq(state) },
  }
}

/** Returns the last entry before the first message that is still being written. */
function settledSeq(state: ChatState): number {
  const open = keyedToArray(state.messages).filter(({ metadata }) => metadata?.status === 'streaming')
  return Math.min(state.seq, ...open.map(({ firstSeq = Number.POSITIVE_INFINITY }) => firstSeq - 1))
}

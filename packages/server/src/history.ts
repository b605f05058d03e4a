import { logName } from '@throughline/log/log-store'
import { readBetween } from '@throughline/log/read-between'
import { type ChatState, chatFrom, messagesOf } from '@throughline/protocol/chat-state'
import { fold } from '@throughline/protocol/fold'
import type { ChatKey } from '@throughline/protocol/ids'
import { keyedToArray } from '@throughline/protocol/keyed-list'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import type { Store } from '@throughline/store/open-store'

export interface History {
  readonly messages: readonly Message[]
  /** Following the log from here continues exactly where these messages end. */
  readonly position: Position
  /** The same for these messages without an answer that is still being written. */
  readonly settled: Position
}

/**
 * A chat as it stands now: the saved rows, and on top of them, by the same fold, what the log has gained since.
 * An answer that is still streaming is there as far as it has come.
 */
export async function loadHistory(store: Store, chat: ChatKey): Promise<History | undefined> {
  const saved = await store.messages.load(chat)
  if (saved === undefined) return undefined
  const name = logName(chat)
  const { epoch, seq: upTo } = await store.log.open(name)
  const after = { epoch, seq: Math.min(saved.savedSeq, upTo) }

  const entries = (await Array.fromAsync(readBetween(store.log, name, { after, upTo }))).flat()
  // Rows of a run that goes on (a finished sub-agent's) are in these entries again; the entries have them whole.
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

/** The last entry before the first message that is still being written. */
function settledSeq(state: ChatState): number {
  const open = keyedToArray(state.messages).filter(({ metadata }) => metadata?.status === 'streaming')
  return Math.min(state.seq, ...open.map(({ firstSeq = Number.POSITIVE_INFINITY }) => firstSeq - 1))
}

import { setImmediate } from 'node:timers/promises'
import { logName, readBetween } from '@throughline/log'
import {
  type ChatKey,
  type ChatState,
  chatFrom,
  type Entry,
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
  const unsaved = await readUnsaved(store, chat, saved.savedSeq)
  // A sub-agent's message is saved while its run goes on. These entries contain the whole message again, so the row
  // is left out.
  const rows = saved.messages.filter(
    ({ message, runId }) => message.role === 'user' || !unsaved.runIds.has(runId),
  )
  return foldUnsaved(
    rows.map(({ message }) => message),
    unsaved,
  )
}

/** The entries of a log that the saved messages do not contain. */
export interface Unsaved {
  /** The last entry that the saved messages contain. */
  readonly after: Position
  readonly pages: readonly (readonly Entry[])[]
  /** The runs that wrote these entries. */
  readonly runIds: ReadonlySet<string>
}

/** Reads the entries that a chat's log has gained since its messages were saved. */
export async function readUnsaved(store: Store, chat: ChatKey, savedSeq: number): Promise<Unsaved> {
  const name = logName(chat)
  const { epoch, seq: upTo } = await store.log.open(name)
  const after = { epoch, seq: Math.min(savedSeq, upTo) }
  const pages = await Array.fromAsync(readBetween(store.log, name, { after, upTo }))
  return { after, pages, runIds: new Set(pages.flatMap(page => page.map(({ runId }) => runId))) }
}

/** Folds entries into the messages that were saved before them. Lets other work be done between two pages. */
export async function foldUnsaved(
  messages: readonly Message[],
  { after, pages }: Pick<Unsaved, 'after' | 'pages'>,
): Promise<History> {
  if (pages.length === 0) return { messages, position: after, settled: after }
  let state = chatFrom(messages, after.seq)
  for (const page of pages) {
    state = page.reduce(fold, state)
    await setImmediate()
  }
  const { epoch } = after
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

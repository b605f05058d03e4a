import { setImmediate } from 'node:timers/promises'
import { logName, readBetween } from '@throughline/log'
import {
  branchOf,
  branchUpTo,
  type ChatKey,
  type ChatState,
  chatFrom,
  type Entry,
  fold,
  type Message,
  messagesOf,
  type Position,
  rootsOf,
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
async function readUnsaved(store: Store, chat: ChatKey, savedSeq: number): Promise<Unsaved> {
  const name = logName(chat)
  const { epoch, seq: upTo } = await store.log.open(name)
  const after = { epoch, seq: Math.min(savedSeq, upTo) }
  const pages = await Array.fromAsync(readBetween(store.log, name, { after, upTo }))
  return { after, pages, runIds: new Set(pages.flatMap(page => page.map(({ runId }) => runId))) }
}

/** Folds entries into the messages that were saved before them. Lets other work be done between two pages. */
async function foldUnsaved(
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

/** Which messages of a chat a reader wants. */
export interface PageOptions {
  /** How many messages at most, without those of sub-agents. */
  readonly limit: number
  /** Only messages before this one, on its branch. Without it, the newest messages of the newest branch. */
  readonly before?: string | undefined
}

/** Some messages of one branch, in order. Each answer has the messages of its sub-agents after it. */
export interface HistoryPage extends History {
  /** The value of `before` for the page with older messages. `undefined` when there are none. */
  readonly next: string | undefined
}

/** Messages that are larger than this together come in several pages, in bytes of JSON. */
const maxPageBytes = 4 * 1024 * 1024

/**
 * Returns a page of a chat's messages as they are now. Reads only the rows of the page, so the cost does not grow with
 * the chat. Returns `undefined` when the chat does not exist, and `unknown-message` when it does not have the message
 * `before`.
 */
export async function loadHistoryPage(
  store: Store,
  chat: ChatKey,
  options: PageOptions,
): Promise<HistoryPage | 'unknown-message' | undefined> {
  const page = await readPage(store, chat, options)
  if (page !== 'read-all') return page
  const history = await loadHistory(store, chat)
  return history && pageOf(history, options)
}

/** Cuts a page out of all messages of a chat. `loadHistoryPage` returns the same page, but reads less. */
export function pageOf(
  history: History,
  { limit, before }: PageOptions,
  branch: readonly Message[] = branchOf(history.messages),
): HistoryPage | 'unknown-message' {
  const path = before === undefined ? branch : branchUpTo(history.messages, before)
  const roots = rootsOf(history.messages)
  if (before !== undefined && (path.length === 0 || roots.has(before))) return 'unknown-message'
  const belongsTo = ({ id }: Message) => roots.get(id) ?? id
  const ids = path.filter(({ id }) => id !== before && !roots.has(id)).map(({ id }) => id)
  const shown = new Set<string>(ids.slice(-limit))
  const messages = path.filter(message => shown.has(belongsTo(message)))
  return { ...history, messages, next: ids.length > limit ? ids.at(-limit) : undefined }
}

/** Reads only what a page needs. Returns `read-all` when that is not enough to know the page. */
async function readPage(
  store: Store,
  chat: ChatKey,
  { limit, before }: PageOptions,
): Promise<HistoryPage | 'read-all' | undefined> {
  const savedSeq = await store.messages.savedSeq(chat)
  if (savedSeq === undefined) return undefined
  const unsaved = await readUnsaved(store, chat, savedSeq)
  const active = unsaved.pages.length === 0 ? undefined : await store.runs.active(chat)
  // A run that answers a new message only adds messages at the end. Other runs may change any message.
  const isAtRest = unsaved.pages.length === 0
  const isAdding = active?.kind === 'answer' || active?.kind === 'message'
  const isAlone = unsaved.runIds.size === 1 && active !== undefined && unsaved.runIds.has(active.id)
  if (!isAtRest && !(isAdding && isAlone)) return 'read-all'

  const newest = active?.userMessageId ?? (await store.messages.last(chat))
  const from = before === undefined ? newest : await store.messages.previous(chat, before)
  if (from === undefined) return 'read-all'
  const branch = await store.messages.branch(chat, from, { maxMessages: limit, maxBytes: maxPageBytes })
  const rows = await withSubAgents(store, chat, branch.messages)
  // A run has ended in the meantime, so these rows may contain some of the entries already.
  if ((await store.messages.savedSeq(chat)) !== savedSeq) return 'read-all'

  const history = await foldUnsaved(rows, before === undefined ? unsaved : { ...unsaved, pages: [] })
  const page = pageOf(history, { limit })
  if (page === 'unknown-message') return 'read-all'
  const [oldest] = page.messages
  const hasOlder = branch.hasOlder || page.next !== undefined
  return { ...page, next: hasOlder ? oldest?.id : undefined }
}

/**
 * Puts the messages of sub-agents behind the messages that they were written for. The sub-agents of a run that goes on
 * are left out: its entries contain their messages.
 */
async function withSubAgents(
  { messages: tree }: Store,
  chat: ChatKey,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const ids = new Set(messages.map(({ id }) => id))
  const behind = await tree.subAgents(chat, [...ids])
  const all = messages.flatMap(message => [message, ...(behind.get(message.id) ?? [])])
  const roots = rootsOf(all)
  return all.filter(({ id }) => ids.has(roots.get(id) ?? id))
}

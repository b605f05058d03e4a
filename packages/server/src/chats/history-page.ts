import { branchOf, branchUpTo, type ChatKey, type Message, rootsOf } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { foldUnsaved, type History, loadHistory, readUnsaved } from './history.ts'

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

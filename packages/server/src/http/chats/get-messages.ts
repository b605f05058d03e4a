import { branchOf, formatPosition, type Message, ProblemError, previousOf } from '@throughline/protocol'
import type { MessagesBody } from '@throughline/protocol/internal'
import { type History, loadHistory } from '../../chats/history.ts'
import { type HistoryPage, loadHistoryPage, type PageOptions, pageOf } from '../../chats/history-page.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, messageNotFound } from '../request/problems.ts'
import { chatNamedIn } from '../request/requests.ts'
import { respondWithJson } from '../respond/respond-with-json.ts'
import { historyFormFrom, showHistory } from './history-view.ts'

/**
 * Responds with the messages of a chat: all of one branch, all of all branches, or with `?limit=` one page of a branch.
 * Every page says where the next older one begins.
 */
export async function getMessages(context: HttpContext, services: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  const form = historyFormFrom(context)
  const options = pageOptionsFrom(context)
  const history = await found(context, () =>
    options === undefined ? wholeHistory(context, services) : historyPage(context, services, options),
  )
  // A chat of another owner looks like one that does not exist, here as everywhere.
  if (history === undefined) return context.json({ messages: [], position: null })
  const { messages, position } = await showHistory(services, history, { ...chat, form })
  const shown: MessagesBody & { readonly position: string } = { messages, position: formatPosition(position) }
  return respondWithJson(
    context,
    services,
    'next' in history ? { ...shown, next: history.next ?? null } : shown,
  )
}

/**
 * Resolves to `undefined` when there is no such chat and the client has asked for that as an empty history. A page asks so for
 * a chat that may not have begun: browsers print each 404 in red.
 */
async function found<Found>(context: HttpContext, load: () => Promise<Found>): Promise<Found | undefined> {
  const { missing } = context.req.query()
  if (missing !== undefined && missing !== 'empty') throw invalidPage('"missing" is "empty", or left out.')
  try {
    return await load()
  } catch (error) {
    const isMissing = error instanceof ProblemError && error.code === 'chat-not-found'
    if (isMissing && missing === 'empty') return undefined
    throw error
  }
}

async function wholeHistory(context: HttpContext, { store }: Services): Promise<History> {
  const chat = chatNamedIn(context)
  const history = await loadHistory(store, chat)
  if (history === undefined) throw chatNotFound(chat.chatId)
  return { ...history, messages: shownBranch(context, history.messages) }
}

async function historyPage(
  context: HttpContext,
  { store }: Services,
  options: PageOptions,
): Promise<HistoryPage> {
  const chat = chatNamedIn(context)
  const { branch } = context.req.query()
  if (branch === undefined || options.before !== undefined) {
    const page = await loadHistoryPage(store, chat, options)
    if (page === undefined) throw chatNotFound(chat.chatId)
    return knownPage(context, page, options)
  }
  // The newest page of a branch that the client names. All messages are needed to find the end of that branch.
  const history = await loadHistory(store, chat)
  if (history === undefined) throw chatNotFound(chat.chatId)
  return knownPage(context, pageOf(history, options, shownBranch(context, history.messages)), options)
}

function knownPage(
  context: HttpContext,
  page: HistoryPage | 'unknown-message',
  { before = '' }: PageOptions,
): HistoryPage {
  if (page === 'unknown-message') throw messageNotFound(chatNamedIn(context).chatId, before)
  return page
}

/**
 * Returns the messages of one branch, or all messages if the client asks for them. By default the newest branch,
 * otherwise the one through the message that the client names.
 */
function shownBranch(context: HttpContext, messages: readonly Message[]): readonly Message[] {
  const { branch, branches } = context.req.query()
  if (branches === 'all') return messages
  if (branch !== undefined && previousOf(messages, branch) === undefined)
    throw messageNotFound(chatNamedIn(context).chatId, branch)
  return branchOf(messages, branch)
}

const maxLimit = 1_000

/** Reads `?limit=` and `?before=`. Returns `undefined` when the client wants all messages. */
function pageOptionsFrom(context: HttpContext): PageOptions | undefined {
  const { limit, before, branches } = context.req.query()
  if (limit === undefined && before === undefined) return undefined
  const count = limit === undefined ? 100 : Number(limit)
  if (!Number.isInteger(count) || count < 1 || count > maxLimit)
    throw invalidPage(`"limit" is a whole number from 1 to ${maxLimit}.`)
  if (branches === 'all')
    throw invalidPage('A page is a part of one branch. Leave "branches" out, or "limit" and "before".')
  return { limit: count, before }
}

function invalidPage(detail: string): ProblemError {
  return new ProblemError(400, 'invalid-page', detail)
}

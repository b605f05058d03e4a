import { LogError, logName, readBetween } from '@throughline/log'
import {
  branchOf,
  type ChatKey,
  formatPosition,
  isMessageId,
  type Message,
  type Position,
  ProblemError,
  previousOf,
  rootsOf,
} from '@throughline/protocol'
import type { MessagesBody } from '@throughline/protocol/internal'
import {
  type History,
  type HistoryPage,
  loadHistory,
  loadHistoryPage,
  type PageOptions,
  pageOf,
} from '../../chats/history.ts'
import type { SubAgentForm } from '../../stream/chunks/chunk-stream.ts'
import { inlineMessage } from '../../stream/inline/inline-projection.ts'
import type { OlderSdk } from '../../stream/sdk/sdk-fields.ts'
import { sdkMessage } from '../../stream/sdk/sdk-projection.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, messageNotFound } from '../request/problems.ts'
import { chatNamedIn } from '../request/requests.ts'
import { respondWithJson } from '../respond/respond-with-json.ts'
import { choice, olderSdkFrom, subAgentFormFrom } from '../respond/wire-form.ts'

/** The form in which a client wants a chat's messages. */
export interface HistoryForm {
  /** Sub-agents' messages come after the answer that they worked for, or their parts are in it, or they are left out. */
  readonly subAgents: SubAgentForm
  /** Whether an answer that is still being written is included, as far as it has come. */
  readonly inProgress: boolean
  /** The client's AI SDK, when that is an older one. */
  readonly sdk: OlderSdk | undefined
}

/** The messages of a chat in the form that a client asked for. */
export interface ShownHistory {
  readonly messages: readonly Message[]
  /** A client that follows the log from here gets exactly what comes after these messages. */
  readonly position: Position
}

/**
 * Reads what a client chooses. By default older AI SDKs get no answer in progress: when they resume, they append the whole
 * answer to what they have.
 */
function historyFormFrom(context: HttpContext): HistoryForm {
  const sdk = olderSdkFrom(context)
  const inProgress = choice(context, 'inProgress', ['true', 'false'])
  return {
    subAgents: subAgentFormFrom(context) ?? 'hidden',
    inProgress: inProgress === undefined ? sdk === undefined : inProgress === 'true',
    sdk,
  }
}

interface ShownChat extends ChatKey {
  readonly form: HistoryForm
}

/** Returns a chat's messages in the form that the client asked for. */
export async function showHistory(
  services: Services,
  history: History,
  { form, ...chat }: ShownChat,
): Promise<ShownHistory> {
  const roots = rootsOf(history.messages)
  const open = new Set(history.messages.flatMap(each => (isStreaming(each) ? [each.id] : [])))
  const helped = new Set(form.subAgents === 'inline' ? roots.values() : [])
  const messages: Message[] = []
  for (const message of history.messages) {
    const { id } = message
    if (form.subAgents !== 'separate' && roots.has(id)) continue
    // A sub-agent may have ended before the answer that it works for.
    if (!form.inProgress && open.has(roots.get(id) ?? id)) continue
    const shown = helped.has(id)
      ? await inlineAnswer(services, message, { ...chat, upTo: history.position })
      : message
    messages.push(form.sdk === undefined ? shown : sdkMessage(form.sdk, shown))
  }
  return { messages, position: form.inProgress ? history.position : history.settled }
}

interface UpTo extends ChatKey {
  readonly upTo: Position
}

async function inlineAnswer(
  { store }: Services,
  message: Message,
  { upTo, ...chat }: UpTo,
): Promise<Message> {
  const run = isMessageId(message.id) ? await store.runs.ofAnswer(chat, message.id) : undefined
  if (run === undefined) return message
  const pages = readBetween(store.log, logName(chat), {
    after: { epoch: upTo.epoch, seq: run.afterSeq },
    upTo: upTo.seq,
  })
  const inlined = await inlineMessage(run, pages).catch(error => {
    // The entries of the run were trimmed. Nobody knows any more in which order its agents wrote.
    if (error instanceof LogError && error.code === 'unknown-position') return undefined
    throw error
  })
  // The metadata may have been changed after the run, so the saved one is newer.
  return inlined === undefined ? message : { ...inlined, metadata: message.metadata }
}

function isStreaming({ metadata }: Message): boolean {
  return metadata?.status === 'streaming'
}

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

import { logName } from '@throughline/log'
import {
  branchLengths,
  createId,
  isChatId,
  type Position,
  ProblemError,
  parsePosition,
  textOf,
  tipsOf,
} from '@throughline/protocol'
import type { ChatBody, FoundChats } from '@throughline/protocol/internal'
import type { ChatRecord } from '@throughline/store'
import type { Submission } from '../../admission/submission.ts'
import { viewChats } from '../../chat-list/chat-lists.ts'
import { maxListed } from '../../chat-list/owner-chats.ts'
import { loadHistory } from '../../chats/history.ts'
import { removeChat } from '../../chats/remove-chat.ts'
import { viewLog } from '../../stream/log/view-log.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound } from '../request/problems.ts'
import {
  answerBody,
  chatChangeBody,
  chatIdFrom,
  chatNamedIn,
  messageBody,
  newChatBody,
  readJsonBody,
  readMessageBody,
} from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { jsonWhenReady } from '../respond/json-when-ready.ts'
import { presenceOf, respondWithStream } from '../respond/respond-with-stream.ts'
import { acceptOrQueue, acceptSubmission } from '../submit/accept-submission.ts'
import { anotherAnswerFrom, submissionFrom } from '../submit/submission.ts'
import { getMessages } from './history-view.ts'

type Handle = (context: HttpContext, services: Services) => Response | Promise<Response>

/** The routes for chats, their messages and their logs. Our own clients use them. */
export function chatsRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => {
    return { method, path, policy: 'owner', handle: context => handle(context, services) }
  }
  return [
    route('GET', '/api/chats', listChats),
    route('GET', '/api/chats-stream', followChats),
    route('POST', '/api/chats', createChat),
    route('GET', '/api/chats/:id', getChat),
    route('PATCH', '/api/chats/:id', changeChat),
    route('DELETE', '/api/chats/:id', deleteChat),
    route('GET', '/api/chats/:id/messages', getMessages),
    route('POST', '/api/chats/:id/messages', postMessage),
    route('POST', '/api/chats/:id/answers', postAnswer),
    route('GET', '/api/chats/:id/branches', getBranches),
    { ...route('GET', '/api/chats/:id/log', followLog), takesTicket: true },
  ]
}

function followChats(context: HttpContext, services: Services): Response {
  return respondWithStream(context, services, {
    comesBack: true,
    view: signals => viewChats(services.chatLists, context.get('ownerId'), signals),
  })
}

async function createChat(context: HttpContext, { store, now }: Services): Promise<Response> {
  const body = await readJsonBody(context, newChatBody)
  const id = body.id === undefined ? createId(isChatId, 'chat') : chatIdFrom(body.id)
  const at = now().toISOString()
  return context.json(
    await store.chats.create(context.get('ownerId'), { id, title: body.title, createdAt: at, updatedAt: at }),
    201,
  )
}

async function getChat(context: HttpContext, services: Services): Promise<Response> {
  const chat = await existingChat(context, services)
  const tied = await services.store.channelChats.get(chatNamedIn(context))
  const body: ChatBody = { ...chat, channel: tied?.channel, takenOverBy: tied?.takenOverBy }
  return context.json(body)
}

async function changeChat(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const chat = chatNamedIn(context)
  const { title, pinned } = await readJsonBody(context, chatChangeBody)
  const at = now().toISOString()
  const isRenamed = title === undefined || (await store.chats.rename(chat, { title, at }))
  const isPinned = pinned === undefined || (await store.chats.pin(chat, pinned ? at : undefined))
  if (!isRenamed || !isPinned) throw chatNotFound(chat.chatId)
  return getChat(context, services)
}

async function deleteChat(context: HttpContext, services: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  if ((await removeChat(services, chat)) === undefined) throw chatNotFound(chat.chatId)
  return context.body(null, 204)
}

async function getBranches(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  const history = await loadHistory(store, chat)
  if (history === undefined) throw chatNotFound(chat.chatId)
  const { messages } = history
  const lengths = branchLengths(messages)
  return context.json({
    // The newest branch comes first. Clients show it unless they ask for another one.
    branches: tipsOf(messages)
      .toReversed()
      .map(tip => ({
        id: tip.id,
        messageCount: lengths.get(tip.id) ?? 0,
        createdAt: tip.metadata?.createdAt,
        text: textOf(tip).slice(0, 200),
      })),
  })
}

async function postMessage(context: HttpContext, services: Services): Promise<Response> {
  const body = await readMessageBody(context, messageBody)
  const asked = { ...body, ...chatNamedIn(context), sender: context.get('sender') }
  const submission = await submissionFrom(services, asked)
  if (body.waitForTurn) return accept(context, services, submission)
  return context.json(await acceptOrQueue(services, submission), 202)
}

async function postAnswer(context: HttpContext, services: Services): Promise<Response> {
  const body = await readJsonBody(context, answerBody)
  const asked = { ...body, ...chatNamedIn(context), sender: context.get('sender') }
  return accept(context, services, await anotherAnswerFrom(services, asked))
}

function accept(context: HttpContext, services: Services, submission: Submission): Promise<Response> {
  const ready = acceptSubmission(services, submission).then(body => ({ body, status: 202 }) as const)
  return jsonWhenReady(context, services, { ready, status: 202 })
}

async function followLog(context: HttpContext, services: Services): Promise<Response> {
  await existingChat(context, services)
  const chat = chatNamedIn(context)
  const { log } = services.store
  const asked = context.req.header('last-event-id') ?? context.req.query('after')
  const { epoch, seq } = await log.open(logName(chat))
  // A text that is no position gets the same reset as a position that the log does not have.
  const after: Position =
    asked === undefined ? { epoch, seq: 0 } : (parsePosition(asked) ?? { epoch: '', seq: 0 })
  const joinedAt = asked === undefined ? seq : undefined
  return respondWithStream(context, services, {
    comesBack: true,
    presence: presenceOf(context, services, chat),
    view: signals => viewLog(log, chat, { after, joinedAt, ...signals }),
  })
}

async function existingChat(context: HttpContext, { store }: Services): Promise<ChatRecord> {
  const chat = chatNamedIn(context)
  const record = await store.chats.get(chat)
  if (record === undefined) throw chatNotFound(chat.chatId)
  return record
}

/** How many chats a search returns at most. */
const maxFound = 50

const maxQueryLength = 200

/** Handles `GET /api/chats`: the newest chats, or with `?q=` those that contain a text. */
async function listChats(context: HttpContext, { store }: Services): Promise<Response> {
  const ownerId = context.get('ownerId')
  const text = queryIn(context)
  if (text === '') return context.json({ chats: await store.chatList.newest(ownerId, { limit: maxListed }) })
  const search = { text, limit: maxFound, signal: context.env.closed }
  const { chats, isComplete } = await store.chatList.search(ownerId, search)
  const body: FoundChats = {
    chats: chats.map(({ text: found, ...chat }) =>
      found === undefined ? chat : { ...chat, excerpt: excerptAround(found, text) },
    ),
    isComplete,
  }
  return context.json(body)
}

/** Returns what is searched for. Empty when the request searches for nothing. */
function queryIn({ req }: HttpContext): string {
  // Postgres does not take U+0000.
  const text = (req.query('q') ?? '').replaceAll('\0', '').trim()
  if (text.length <= maxQueryLength) return text
  throw new ProblemError(
    400,
    'query-too-long',
    `The text that is searched for has ${text.length} characters. At most ${maxQueryLength} are allowed.`,
  )
}

/** How many characters are shown before and after what was found. */
const before = 30
const after = 90

/** Returns a line of a text around the first place where it contains another text, in either case. */
export function excerptAround(text: string, found: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(found.toLowerCase()))
  const start = Math.max(0, at - before)
  const end = at + found.length + after
  // `toWellFormed`: the cut may be inside a character that consists of two code units.
  const line = text.slice(start, end).toWellFormed().replaceAll('\ufffd', '').replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`
}

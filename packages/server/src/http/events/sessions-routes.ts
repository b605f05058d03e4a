import { branchOf, createId, isChatId, type Message, ProblemError, textOf } from '@throughline/protocol'
import type { ChatRecord } from '@throughline/store'
import { z } from 'zod'
import { loadHistory } from '../../chats/history.ts'
import { removeChat } from '../../chats/remove-chat.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { readJsonBody, sessionFrom, sessionIdFrom } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { respondWithJson } from '../respond/respond-with-json.ts'

type Handle = (context: HttpContext, services: Services) => Response | Promise<Response>

/** The routes for chats in the event API, where they are sessions with plain messages. */
export function sessionsRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => {
    return { method, path, policy: 'owner', handle: context => handle(context, services) }
  }
  return [
    route('GET', '/sessions', listSessions),
    route('POST', '/sessions', createSession),
    route('GET', '/sessions/:id', readSession),
    route('POST', '/sessions/:id/clear', clearSession),
    route('DELETE', '/sessions/:id', deleteSession),
  ]
}

const newSessionBody = z.object({
  session_id: z.string().nullish(),
  title: z.string().max(200).default(''),
})

async function listSessions(context: HttpContext, { store }: Services): Promise<Response> {
  const chats = await store.chats.list(context.get('ownerId'), { limit: 500 })
  return context.json({ sessions: chats.map(describeSession) })
}

async function createSession(context: HttpContext, { store, now }: Services): Promise<Response> {
  const { session_id, title } = await readJsonBody(context, newSessionBody)
  const id = session_id == null ? createId(isChatId, 'chat') : sessionIdFrom(session_id)
  const at = now().toISOString()
  const chat = await store.chats.create(context.get('ownerId'), { id, title, createdAt: at, updatedAt: at })
  return context.json({ session_id: chat.id, created_at: chat.createdAt }, 201)
}

async function readSession(context: HttpContext, services: Services): Promise<Response> {
  const { store } = services
  const chat = sessionFrom(context)
  const record = await store.chats.get(chat)
  const history = await loadHistory(store, chat)
  if (record === undefined || history === undefined) throw sessionNotFound(chat.chatId)
  const messages = branchOf(history.messages).filter(({ metadata }) => metadata?.agent?.kind !== 'sub')
  return respondWithJson(context, services, {
    ...describeSession(record),
    messages: messages.map(messageFrom),
  })
}

async function clearSession(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const chat = sessionFrom(context)
  const { ownerId, chatId } = chat
  const tied = await store.channelChats.get(chat)
  const record = await removeChat(services, chat)
  if (record === undefined) throw sessionNotFound(chatId)
  // The title goes too, because it may be the text of the first message. The next message gives the session a new
  // title.
  const cleared = { ...record, title: '', updatedAt: now().toISOString() }
  await store.chats.create(ownerId, cleared)
  // The channel of a session, and who has taken it over, are kept.
  if (tied !== undefined) {
    await store.channelChats.tie(ownerId, cleared, tied)
    await store.channelChats.takeOver(chat, tied.takenOverBy)
  }
  return context.json({ session_id: chatId, cleared: true })
}

async function deleteSession(context: HttpContext, services: Services): Promise<Response> {
  const chat = sessionFrom(context)
  if ((await removeChat(services, chat)) === undefined) throw sessionNotFound(chat.chatId)
  return context.json({ session_id: chat.chatId, deleted: true })
}

function describeSession({ id, title, createdAt, updatedAt }: ChatRecord) {
  return { session_id: id, title, created_at: createdAt, updated_at: updatedAt }
}

function messageFrom(message: Message) {
  const { id, role, metadata } = message
  return {
    id,
    role,
    content: textOf(message),
    created_at: metadata?.createdAt,
    status: metadata?.isEmpty === true ? 'empty' : metadata?.status,
    status_text: metadata?.statusText,
  }
}

function sessionNotFound(id: string): ProblemError {
  return new ProblemError(404, 'session-not-found', `There is no session ${JSON.stringify(id)}.`)
}

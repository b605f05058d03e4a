import { logName } from '@throughline/log/log-store'
import { createId, isChatId } from '@throughline/protocol/ids'
import { formatPosition, type Position, parsePosition } from '@throughline/protocol/position'
import type { Chat } from '@throughline/store/chats'
import { loadHistory } from '../history.ts'
import { viewLog } from '../stream/views.ts'
import type { HttpContext, Services } from './context.ts'
import { chatNotFound } from './problems.ts'
import { chatChangeBody, chatIdFrom, messageBody, newChatBody, readBody } from './requests.ts'
import { respondWithStream } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { submissionFrom } from './submission.ts'

type Handle = (context: HttpContext, services: Services) => Response | Promise<Response>

/** Chats, their messages and their log: what our own clients use. */
export function chatsRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => {
    return { method, path, policy: 'owner', handle: context => handle(context, services) }
  }
  return [
    route('GET', '/api/chats', listChats),
    route('POST', '/api/chats', createChat),
    route('GET', '/api/chats/:id', getChat),
    route('PATCH', '/api/chats/:id', renameChat),
    route('DELETE', '/api/chats/:id', removeChat),
    route('GET', '/api/chats/:id/messages', getMessages),
    route('POST', '/api/chats/:id/messages', postMessage),
    route('GET', '/api/chats/:id/log', followLog),
  ]
}

async function listChats(context: HttpContext, { store }: Services): Promise<Response> {
  return context.json({ chats: await store.chats.list(context.get('ownerId'), { limit: 500 }) })
}

async function createChat(context: HttpContext, { store, now }: Services): Promise<Response> {
  const body = await readBody(context, newChatBody)
  const id = body.id === undefined ? createId(isChatId, 'chat') : chatIdFrom(body.id)
  const at = now().toISOString()
  return context.json(
    await store.chats.create(context.get('ownerId'), { id, title: body.title, createdAt: at, updatedAt: at }),
    201,
  )
}

async function getChat(context: HttpContext, services: Services): Promise<Response> {
  return context.json(await existingChat(context, services))
}

async function renameChat(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const id = chatIdFrom(context.req.param('id'))
  const { title } = await readBody(context, chatChangeBody)
  const isRenamed = await store.chats.rename(context.get('ownerId'), id, { title, at: now().toISOString() })
  if (!isRenamed) throw chatNotFound(id)
  return getChat(context, services)
}

async function removeChat(context: HttpContext, { store, runner }: Services): Promise<Response> {
  const ownerId = context.get('ownerId')
  const id = chatIdFrom(context.req.param('id'))
  await runner.stop(ownerId, id)
  if ((await store.chats.get(ownerId, id)) === undefined) throw chatNotFound(id)
  // Files before all else: as long as the chat is there, a removal that broke off can be asked for again.
  await store.files.removeAll(ownerId, id)
  // Then the log: rows without a log are still a whole chat, a log without rows would bring the dead back.
  await store.log.remove(logName(ownerId, id))
  await store.chats.remove(ownerId, id)
  return context.body(null, 204)
}

async function getMessages(context: HttpContext, { store }: Services): Promise<Response> {
  const id = chatIdFrom(context.req.param('id'))
  const history = await loadHistory(store, context.get('ownerId'), id)
  if (history === undefined) throw chatNotFound(id)
  return context.json({ messages: history.messages, position: formatPosition(history.position) })
}

async function postMessage(context: HttpContext, services: Services): Promise<Response> {
  const chatId = chatIdFrom(context.req.param('id'))
  const ownerId = context.get('ownerId')
  const body = await readBody(context, messageBody)
  const run = await services.runner.submit(submissionFrom(services, { ...body, ownerId, chatId }))
  const { epoch } = await services.store.log.open(logName(ownerId, chatId))
  return context.json(
    {
      runId: run.id,
      messageId: run.userMessageId,
      responseMessageId: run.answerId,
      position: formatPosition({ epoch, seq: run.afterSeq }),
    },
    202,
  )
}

async function followLog(context: HttpContext, services: Services): Promise<Response> {
  const { id } = await existingChat(context, services)
  const ownerId = context.get('ownerId')
  const { log } = services.store
  const asked = context.req.header('last-event-id') ?? context.req.query('after')
  const { epoch } = await log.open(logName(ownerId, id))
  // What is no position at all is in no log: the follower is told to reset, like for any other unknown one.
  const after: Position =
    asked === undefined ? { epoch, seq: 0 } : (parsePosition(asked) ?? { epoch: '', seq: 0 })
  return respondWithStream(context, services, {
    view: signal => viewLog(log, { ownerId, chatId: id }, { after, signal }),
  })
}

async function existingChat(context: HttpContext, { store }: Services): Promise<Chat> {
  const id = chatIdFrom(context.req.param('id'))
  const chat = await store.chats.get(context.get('ownerId'), id)
  if (chat === undefined) throw chatNotFound(id)
  return chat
}

import { logName } from '@throughline/log'
import {
  branchLengths,
  createId,
  isChatId,
  type Position,
  parsePosition,
  textOf,
  tipsOf,
} from '@throughline/protocol'
import type { ChatRecord } from '@throughline/store'
import { viewChats } from '../../chat-list/view-chats.ts'
import { loadHistory } from '../../history.ts'
import { removeChat } from '../../remove-chat.ts'
import type { Submission } from '../../runs/submission.ts'
import { viewLog } from '../../stream/log/view-log.ts'
import { acceptOrQueue, acceptSubmission } from '../accept-submission.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatNotFound } from '../problems.ts'
import {
  answerBody,
  chatChangeBody,
  chatFrom,
  chatIdFrom,
  messageBody,
  newChatBody,
  readBody,
  readMessageBody,
} from '../requests.ts'
import { respondWithStream, seatOf } from '../respond-with-stream.ts'
import type { Route } from '../route.ts'
import { anotherAnswerFrom, submissionFrom } from '../submission.ts'
import { getMessages } from './get-messages.ts'
import { listChats } from './list-chats.ts'

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
    view: signals => viewChats(services.chatLists, context.get('ownerId'), signals),
  })
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
  const chat = await existingChat(context, services)
  const tied = await services.store.channelChats.get(chatFrom(context))
  return context.json({ ...chat, channel: tied?.channel, takenOverBy: tied?.takenOverBy })
}

async function changeChat(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const chat = chatFrom(context)
  const { title, pinned } = await readBody(context, chatChangeBody)
  const at = now().toISOString()
  const isRenamed = title === undefined || (await store.chats.rename(chat, { title, at }))
  const isPinned = pinned === undefined || (await store.chats.pin(chat, pinned ? at : undefined))
  if (!isRenamed || !isPinned) throw chatNotFound(chat.chatId)
  return getChat(context, services)
}

async function deleteChat(context: HttpContext, services: Services): Promise<Response> {
  const chat = chatFrom(context)
  if ((await removeChat(services, chat)) === undefined) throw chatNotFound(chat.chatId)
  return context.body(null, 204)
}

async function getBranches(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
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
  const asked = { ...body, ...chatFrom(context), sender: context.get('sender') }
  const submission = await submissionFrom(services, asked)
  if (body.waitForTurn) return accept(context, services, submission)
  return context.json(await acceptOrQueue(services, submission), 202)
}

async function postAnswer(context: HttpContext, services: Services): Promise<Response> {
  const body = await readBody(context, answerBody)
  const asked = { ...body, ...chatFrom(context), sender: context.get('sender') }
  return accept(context, services, await anotherAnswerFrom(services, asked))
}

async function accept(context: HttpContext, services: Services, submission: Submission): Promise<Response> {
  return context.json(await acceptSubmission(services, submission), 202)
}

async function followLog(context: HttpContext, services: Services): Promise<Response> {
  await existingChat(context, services)
  const chat = chatFrom(context)
  const { log } = services.store
  const asked = context.req.header('last-event-id') ?? context.req.query('after')
  const { epoch, seq } = await log.open(logName(chat))
  // A text that is no position gets the same reset as a position that the log does not have.
  const after: Position =
    asked === undefined ? { epoch, seq: 0 } : (parsePosition(asked) ?? { epoch: '', seq: 0 })
  const joinedAt = asked === undefined ? seq : undefined
  return respondWithStream(context, services, {
    seat: seatOf(context, services, chat),
    view: signals => viewLog(log, chat, { after, joinedAt, ...signals }),
  })
}

async function existingChat(context: HttpContext, { store }: Services): Promise<ChatRecord> {
  const chat = chatFrom(context)
  const record = await store.chats.get(chat)
  if (record === undefined) throw chatNotFound(chat.chatId)
  return record
}

import type { ChatKey } from '@throughline/protocol'
import type { WaitingSubmission } from '@throughline/store'
import { editWaiting } from '../../queue/edit-waiting.ts'
import { maxWaiting } from '../../queue/join-line.ts'
import { notWaiting } from '../../queue/queue-problems.ts'
import { readableSubmission } from '../../queue/saved-submission.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatNotFound } from '../problems.ts'
import { chatFrom, readBody, waitingChangeBody } from '../requests.ts'
import type { Route } from '../route.ts'

/** The routes for the messages that wait for their chat: list them, edit one, and remove one. */
export function queueRoutes(services: Services): readonly Route[] {
  const route = (
    method: Route['method'],
    path: string,
    handle: (context: HttpContext, services: Services) => Promise<Response>,
  ): Route => ({ method, path, policy: 'owner', handle: context => handle(context, services) })
  return [
    route('GET', '/api/chats/:id/queue', listQueue),
    route('PATCH', '/api/chats/:id/queue/:messageId', editInQueue),
    route('DELETE', '/api/chats/:id/queue/:messageId', leaveQueue),
  ]
}

async function listQueue(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
  await assertThere(chat, store)
  const waiting = await store.waitingSubmissions.list(chat)
  return context.json({ queue: waiting.flatMap(each => shownFrom(each) ?? []), max: maxWaiting })
}

async function editInQueue(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
  const lineId = context.req.param('messageId') ?? ''
  const { text } = await readBody(context, waitingChangeBody)
  await assertThere(chat, store)
  const sender = context.get('sender')
  return context.json(shownFrom(await editWaiting(store, chat, { lineId, text, sender })))
}

async function leaveQueue(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
  const lineId = context.req.param('messageId') ?? ''
  await assertThere(chat, store)
  const waiting = await store.waitingSubmissions.find(chat, lineId)
  const { fileIds } = (waiting && readableSubmission(waiting)) ?? {}
  if (!(await store.waitingSubmissions.remove(chat, lineId, fileIds))) throw notWaiting(chat.chatId, lineId)
  // Whoever waits for its run, in this process or in another one, is told that there will be none.
  store.signals.ring(chat)
  return context.body(null, 204)
}

/**
 * Returns what a client is shown of a message that waits. Who may use which tools stays here. Returns `undefined` for one
 * that is damaged: it is removed at its turn.
 */
function shownFrom(waiting: WaitingSubmission) {
  const named = readableSubmission(waiting)
  if (named === undefined) return undefined
  const { kind, message, agent, model, onBusy } = named.submission
  return { id: waiting.id, kind, message, agent, model, onBusy, createdAt: waiting.createdAt }
}

async function assertThere(chat: ChatKey, { chats }: Services['store']): Promise<void> {
  if ((await chats.get(chat)) === undefined) throw chatNotFound(chat.chatId)
}

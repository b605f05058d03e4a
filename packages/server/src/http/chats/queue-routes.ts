import type { ChatKey } from '@throughline/protocol'
import type { QueueBody, QueuedMessage } from '@throughline/protocol/internal'
import type { WaitingSubmission } from '@throughline/store'
import { maxWaiting } from '../../admission/enqueue.ts'
import { editWaiting, readableSubmission } from '../../admission/saved-submission.ts'
import { notWaiting } from '../../refusals/queue-problems.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound } from '../request/problems.ts'
import { chatNamedIn, readJsonBody, waitingChangeBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

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
  const chat = chatNamedIn(context)
  await assertThere(chat, store)
  const waiting = await store.waitingSubmissions.list(chat)
  const body: QueueBody & { readonly max: number } = {
    queue: waiting.flatMap(each => shownFrom(each) ?? []),
    max: maxWaiting,
  }
  return context.json(body)
}

async function editInQueue(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  const waitingId = context.req.param('messageId') ?? ''
  const { text } = await readJsonBody(context, waitingChangeBody)
  await assertThere(chat, store)
  const sender = context.get('sender')
  const shown = shownFrom(await editWaiting(store, chat, { waitingId, text, sender }))
  if (shown === undefined) throw notWaiting(chat.chatId, waitingId)
  return context.json(shown)
}

async function leaveQueue(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  const waitingId = context.req.param('messageId') ?? ''
  await assertThere(chat, store)
  const waiting = await store.waitingSubmissions.find(chat, waitingId)
  const { fileIds } = (waiting && readableSubmission(waiting)) ?? {}
  if (!(await store.waitingSubmissions.remove(chat, waitingId, fileIds)))
    throw notWaiting(chat.chatId, waitingId)
  // Whoever waits for its run, in this process or in another one, is told that there will be none.
  store.signals.ring(chat)
  return context.body(null, 204)
}

/**
 * Returns what a client is shown of a message that waits. Who may use which tools stays here. Returns `undefined` for one
 * that is damaged: it is removed at its turn.
 */
function shownFrom(waiting: WaitingSubmission): QueuedMessage | undefined {
  const named = readableSubmission(waiting)
  if (named === undefined) return undefined
  const { kind, message, agent, model, onBusy } = named.submission
  const shown = { id: waiting.id, kind, message, agent, model, onBusy, createdAt: waiting.createdAt }
  return shown
}

async function assertThere(chat: ChatKey, { chats }: Services['store']): Promise<void> {
  if ((await chats.get(chat)) === undefined) throw chatNotFound(chat.chatId)
}

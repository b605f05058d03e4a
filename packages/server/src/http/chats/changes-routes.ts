import { logName } from '@throughline/log'
import {
  formatPosition,
  isMessageId,
  type MessageId,
  messageMetadataSchema,
  ProblemError,
} from '@throughline/protocol'
import { z } from 'zod'
import { type PlanChange, planDelete, planMetadata, planMove } from '../../changes/plans.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, messageNotFound } from '../request/problems.ts'
import { chatNamedIn, readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

type Handle = (context: HttpContext, services: Services) => Promise<Response>

/**
 * The routes that change messages of a chat: delete one, move one, add metadata to many. Each change is written to
 * the log.
 */
export function changesRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => {
    return { method, path, policy: 'owner', handle: context => handle(context, services) }
  }
  return [
    route('DELETE', '/api/chats/:id/messages/:messageId', deleteMessage),
    route('POST', '/api/chats/:id/messages/:messageId/move', moveMessage),
    route('PATCH', '/api/chats/:id/messages', updateMetadata),
  ]
}

/** The body of `POST /api/chats/:id/messages/:messageId/move`. */
const moveBody = z.object({ after: z.string().max(128) })

/** The body of `PATCH /api/chats/:id/messages`. */
const metadataBody = z.object({
  messages: z
    .array(z.object({ id: z.string().max(128), metadata: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(100),
})

function deleteMessage(context: HttpContext, services: Services): Promise<Response> {
  const messageId = messageIdFrom(context)
  return change(context, services, messages => {
    const planned = planDelete(messages, messageId)
    if (planned === undefined) throw notFound(context, messageId)
    return planned
  })
}

async function moveMessage(context: HttpContext, services: Services): Promise<Response> {
  const messageId = messageIdFrom(context)
  const { after } = await readJsonBody(context, moveBody)
  return change(context, services, messages => {
    const plan = planMove(messages, { messageId, after })
    if (plan.type === 'planned') return plan.entries
    switch (plan.why) {
      case 'unknown-message':
        throw notFound(context, messageId)
      case 'unknown-place':
        throw new ProblemError(
          400,
          'unknown-message',
          `Message ${messageId} cannot stand after ${JSON.stringify(after)}. Name a message that does not move with it, or send an empty "after" for the beginning of the chat.`,
        )
      case 'not-a-question':
        throw new ProblemError(
          400,
          'not-a-user-message',
          `Message ${messageId} is an answer. Move the user's message that it answers: answers go with it.`,
        )
    }
  })
}

async function updateMetadata(context: HttpContext, services: Services): Promise<Response> {
  const { messages: updates } = await readJsonBody(context, metadataBody)
  for (const { metadata } of updates) assertOwnFields(metadata)
  return change(context, services, messages => {
    const planned = planMetadata(messages, updates)
    if ('unknown' in planned) throw notFound(context, planned.unknown)
    return planned
  })
}

async function change(context: HttpContext, services: Services, plan: PlanChange): Promise<Response> {
  const chat = chatNamedIn(context)
  if (!(await services.runner.change(chat, plan))) throw chatNotFound(chat.chatId)
  const position = await services.store.log.open(logName(chat))
  return context.json({ position: formatPosition(position) })
}

/** Throws for the fields that the server sets when a message is made. */
function assertOwnFields(metadata: Readonly<Record<string, unknown>>): void {
  const fixed = Object.keys(metadata).find(key => Object.hasOwn(messageMetadataSchema.shape, key))
  if (fixed === undefined) return
  throw new ProblemError(
    400,
    'fixed-metadata',
    `Only the server sets the field "${fixed}" of a message. Give your own field another name.`,
  )
}

function messageIdFrom(context: HttpContext): MessageId {
  const messageId = context.req.param('messageId') ?? ''
  if (!isMessageId(messageId)) throw notFound(context, messageId)
  return messageId
}

function notFound(context: HttpContext, messageId: string): ProblemError {
  return messageNotFound(chatNamedIn(context).chatId, messageId)
}

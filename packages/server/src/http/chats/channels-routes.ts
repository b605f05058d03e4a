import { type ChatKey, isMessageId, ProblemError } from '@throughline/protocol'
import type { TakeOver } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import { personName, personTarget } from '../../who/person.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound } from '../request/problems.ts'
import { readBodyBytes } from '../request/read-body.ts'
import { chatNamedIn, readJsonBody, replyBody, takeOverBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type JsonResponse, jsonWhenReady } from '../respond/json-when-ready.ts'

/**
 * The routes for channels: requests of platforms, taking a chat over, and what a person says in place of the agent.
 */
export function channelsRoutes(services: Services): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/channels/:name',
      policy: 'signed',
      handle: context => takeHook(context, services),
    },
    {
      method: 'POST',
      path: '/api/chats/:id/take-over',
      policy: 'owner',
      handle: context => takeOver(context, services),
    },
    {
      method: 'POST',
      path: '/api/chats/:id/reply',
      policy: 'owner',
      handle: context => reply(context, services),
    },
  ]
}

/** Platforms send what they have at once. */
const hookLimits = { maxMs: 10_000 }

async function takeHook(context: HttpContext, { channels }: Services): Promise<Response> {
  const name = context.req.param('name') ?? ''
  const headers = context.req.header()
  // Strangers send these requests. So nothing is read before everything is checked that can be.
  const taker = channels.hookTaker(name)
  if (taker === undefined) {
    throw new ProblemError(
      404,
      'channel-not-found',
      `There is no channel ${JSON.stringify(name.slice(0, 100))} that takes requests.`,
    )
  }
  const { status, body: said } =
    taker.refuse(headers) ?? (await taker.take({ headers, body: await readBodyBytes(context, hookLimits) }))
  return said === undefined ? new Response(null, { status }) : Response.json(said, { status })
}

async function takeOver(context: HttpContext, { store, channels }: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  const { on, name } = await readJsonBody(context, takeOverBody)
  const takenOverBy = on ? name : undefined
  const isInChannel = await store.channelChats.takeOver(chat, takenOverBy)
  if (!isInChannel) throw await noChannel(context, store)
  if (!on) await channels.giveBack(chat)
  const body: TakeOver = { takenOverBy }
  return context.json(body)
}

async function reply(context: HttpContext, services: Services): Promise<Response> {
  const { store, channels } = services
  const chat = chatNamedIn(context)
  const { text, name } = await readJsonBody(context, replyBody)
  const asked = await askedPerson(store, chat)
  const isInChannel = (await store.channelChats.get(chat)) !== undefined
  if (asked === undefined && !isInChannel) throw await noChannel(context, store)
  const person = name ?? asked
  const said = channels.reply({ ...chat, text, as: person && personTarget(person) })
  return jsonWhenReady(context, services, { ready: said.then(acceptedReply), status: 202 })
}

function acceptedReply(run: Run | undefined): JsonResponse {
  if (run !== undefined) return { body: { runId: run.id, messageId: run.answerId }, status: 202 }
  throw new ProblemError(
    409,
    'nobody-to-answer',
    'Nobody has written in this chat yet. Wait for the first message.',
  )
}

/** Returns the name of the person that the last message of a chat is for, or `undefined` when it is for an agent. */
async function askedPerson(
  { messages, runs }: Services['store'],
  chat: ChatKey,
): Promise<string | undefined> {
  const last = await messages.last(chat, 'user')
  const run = isMessageId(last) ? await runs.ofUserMessage(chat, last) : undefined
  return run?.kind === 'message' ? personName(run.agent) : undefined
}

/** Returns why a chat cannot be taken over: it does not exist, or it is in no channel. */
async function noChannel(context: HttpContext, store: Services['store']): Promise<ProblemError> {
  const chat = chatNamedIn(context)
  const { chatId } = chat
  return (await store.chats.get(chat)) === undefined
    ? chatNotFound(chatId)
    : new ProblemError(
        409,
        'not-in-a-channel',
        `Chat ${chatId} is not held in a channel, and its last message is for no person.`,
      )
}

import { type LogName, logName } from '@throughline/log'
import { branchOf, type ChatKey, type Message, previousOf, randomHex } from '@throughline/protocol'
import { KeyedMutex, type ShareLink, type ShareLinks } from '@throughline/protocol/internal'
import type { ShareRecord } from '@throughline/store'
import { z } from 'zod'
import { loadHistory } from '../../chats/history.ts'
import { showHistory } from '../chats/history-view.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, messageNotFound } from '../request/problems.ts'
import { chatNamedIn, readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { copyMessages } from './copy-messages.ts'
import {
  maxShares,
  nothingToShare,
  shareNotFound,
  sharingOff,
  tooLargeToShare,
  tooManyShares,
} from './share-problems.ts'

type Handle = (context: HttpContext, services: Services) => Promise<Response>

/** The routes with which the owner of a chat shares it. A link leads to a copy of the chat as it is at that moment. */
export function shareRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => ({
    method,
    path,
    policy: 'owner',
    handle(context) {
      if (!services.isSharing) throw sharingOff()
      return handle(context, services)
    },
  })
  // One after the other in each chat. Otherwise requests at the same moment would not see each other's links, and would make
  // equal ones, or more than a chat may have.
  const mutex = new KeyedMutex<LogName>()
  return [
    route('GET', '/api/chats/:id/share', listShares),
    route('POST', '/api/chats/:id/share', context =>
      mutex.run(logName(chatNamedIn(context)), () => createShare(context, services)),
    ),
    route('DELETE', '/api/chats/:id/share/:key', deleteShare),
  ]
}

/** The body of `POST /api/chats/:id/share`. */
const shareBody = z.object({
  /** A message of the branch that is shared. Default: the newest branch. */
  branch: z.string().max(128).optional(),
})

async function listShares(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatNamedIn(context)
  if ((await store.chats.get(chat)) === undefined) throw chatNotFound(chat.chatId)
  const body: ShareLinks = { links: (await store.shares.list(chat)).map(linkOf) }
  return context.json(body)
}

/** If the chat has a link to an equal copy already, that link is returned. So a request that is repeated makes one link. */
async function createShare(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const chat = chatNamedIn(context)
  const { branch } = await readJsonBody(context, shareBody)
  const record = await store.chats.get(chat)
  if (record === undefined) throw chatNotFound(chat.chatId)
  const messages = await messagesToShare(services, chat, branch)
  if (messages.length === 0) throw nothingToShare()
  const copy = await copyMessages({ chatId: chat.chatId, title: record.title, messages })
  if (copy === undefined) throw tooLargeToShare()
  const shares = await store.shares.list(chat)
  const equal = shares.find(({ digest }) => digest === copy.digest)
  if (equal !== undefined) return context.json(linkOf(equal), 200)
  if (shares.length >= maxShares) throw tooManyShares()
  const share = { ...copy, key: randomHex(keyBytes), createdAt: now().toISOString() }
  if (!(await store.shares.create(chat, share))) throw chatNotFound(chat.chatId)
  return context.json(linkOf(share), 201)
}

/** Nobody can guess 160 bits. */
const keyBytes = 20

async function deleteShare(context: HttpContext, { store }: Services): Promise<Response> {
  const isRemoved = await store.shares.remove(chatNamedIn(context), context.req.param('key') ?? '')
  if (!isRemoved) throw shareNotFound()
  return context.body(null, 204)
}

/** Returns the messages of a branch. Leaves out an answer that is being written: its copy would never end. */
async function messagesToShare(
  services: Services,
  chat: ChatKey,
  branch: string | undefined,
): Promise<readonly Message[]> {
  const history = await loadHistory(services.store, chat)
  if (history === undefined) throw chatNotFound(chat.chatId)
  if (branch !== undefined && previousOf(history.messages, branch) === undefined)
    throw messageNotFound(chat.chatId, branch)
  const shown = { ...history, messages: branchOf(history.messages, branch) }
  const form = { subAgents: 'separate', inProgress: false, sdk: undefined } as const
  return (await showHistory(services, shown, { ...chat, form })).messages
}

/** Returns a link as its owner sees it. The path is below the base path of the server. */
function linkOf({
  key,
  title,
  createdAt,
  messageCount,
}: ShareRecord): ShareLink & Pick<ShareRecord, 'title'> {
  return { key, path: `/shared/${key}`, title, createdAt, messageCount }
}

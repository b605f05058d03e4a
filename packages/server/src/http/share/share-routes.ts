import { type LogName, logName } from '@throughline/log'
import { branchOf, type ChatKey, type Message, previousOf, randomHex } from '@throughline/protocol'
import { KeyedMutex, type SharedFacts, type ShareLink, type ShareLinks } from '@throughline/protocol/internal'
import type { FoundShare, ShareRecord } from '@throughline/store'
import { z } from 'zod'
import { loadHistory } from '../../chats/history.ts'
import { fileHeaders, fileNotFound } from '../chats/files-routes.ts'
import { showHistory } from '../chats/history-view.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, messageNotFound } from '../request/problems.ts'
import { chatNamedIn, readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type Body, respondWithBytes } from '../respond/respond-with-bytes.ts'
import { SharedBodies } from '../respond/shared-bodies.ts'
import { copyMessages, withSharedFiles } from './copy-messages.ts'
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

/** The routes for everybody who has a link. They read the copy, and its files, and nothing else. */
export function sharedRoutes(services: Services): readonly Route[] {
  const bodies = new SharedBodies()
  return [
    {
      method: 'GET',
      path: '/api/shared/:key',
      policy: 'public',
      handle: context => readShared(context, services, bodies),
    },
    {
      method: 'GET',
      path: '/api/shared/:key/files/:fileId',
      policy: 'public',
      handle: context => readSharedFile(context, services, bodies),
    },
  ]
}

// Nothing keeps a copy: when the owner stops sharing, it is gone. Search engines must not list what one person was sent.
const sharedHeaders = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }

async function readShared(context: HttpContext, services: Services, bodies: SharedBodies): Promise<Response> {
  const share = await shareFrom(context, services)
  const body = await bodies.take(share.key, () => copyBody(services, share))
  if (body === undefined) throw shareNotFound()
  return respondWithBytes(context, services, body)
}

async function copyBody(
  { store }: Services,
  { key, chat, title, createdAt }: FoundShare,
): Promise<Body | undefined> {
  const messages = await store.shares.messages(key)
  if (messages === undefined) return undefined
  // The messages are JSON already. Reading and writing them once more would only take time.
  const facts: SharedFacts = { title, sharedAt: createdAt }
  const text = `${JSON.stringify(facts).slice(0, -1)},"messages":${withSharedFiles(messages, chat.chatId, key)}}`
  return { bytes: Buffer.from(text), headers: { 'content-type': 'application/json', ...sharedHeaders } }
}

async function readSharedFile(
  context: HttpContext,
  services: Services,
  bodies: SharedBodies,
): Promise<Response> {
  const { key, chat, fileIds } = await shareFrom(context, services)
  const fileId = context.req.param('fileId') ?? ''
  const isNamed = fileIds.includes(fileId)
  const body = isNamed
    ? await bodies.take(`${key}/${fileId}`, () => fileBody(services, chat, fileId))
    : undefined
  if (body === undefined) throw fileNotFound(`The link ${key}`, fileId)
  return respondWithBytes(context, services, body)
}

async function fileBody({ store }: Services, chat: ChatKey, fileId: string): Promise<Body | undefined> {
  const file = await store.files.read(chat, fileId)
  const headers = file && fileHeaders(file, fileId)
  return headers && { bytes: file.bytes, headers: { ...headers, ...sharedHeaders } }
}

async function shareFrom(context: HttpContext, { isSharing, store }: Services): Promise<FoundShare> {
  if (!isSharing) throw sharingOff()
  const found = await store.shares.find(context.req.param('key') ?? '')
  if (found === undefined) throw shareNotFound()
  return found
}

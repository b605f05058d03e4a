import type { ChatKey } from '@throughline/protocol'
import type { SharedFacts } from '@throughline/protocol/internal'
import type { FoundShare } from '@throughline/store'
import { fileHeaders, fileNotFound } from '../chats/files-routes.ts'
import type { HttpContext, Services } from '../request/context.ts'
import type { Route } from '../request/route.ts'
import { type Body, respondWithBytes } from '../respond/respond-with-bytes.ts'
import { SharedBodies } from '../respond/shared-bodies.ts'
import { withSharedFiles } from './copy-messages.ts'
import { shareNotFound, sharingOff } from './share-problems.ts'

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

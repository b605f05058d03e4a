import type { FoundShare } from '@throughline/store'
import { fileNotFound, fileResponse } from '../chats/files-routes.ts'
import type { HttpContext, Services } from '../context.ts'
import type { Route } from '../route.ts'
import { withSharedFiles } from './copy-messages.ts'
import { shareNotFound, sharingOff } from './share-problems.ts'

/** The routes for everybody who has a link. They read the copy, and its files, and nothing else. */
export function sharedRoutes(services: Services): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/shared/:key',
      policy: 'public',
      handle: context => readShared(context, services),
    },
    {
      method: 'GET',
      path: '/api/shared/:key/files/:fileId',
      policy: 'public',
      handle: context => readSharedFile(context, services),
    },
  ]
}

// Nothing keeps a copy: when the owner stops sharing, it is gone. Search engines must not list what one person was sent.
const sharedHeaders = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }

async function readShared(context: HttpContext, services: Services): Promise<Response> {
  const { key, chat, title, createdAt } = await shareFrom(context, services)
  const messages = await services.store.shares.messages(key)
  if (messages === undefined) throw shareNotFound()
  // The messages are JSON already. Reading and writing them once more would only take time.
  const facts = JSON.stringify({ title, sharedAt: createdAt })
  const body = `${facts.slice(0, -1)},"messages":${withSharedFiles(messages, chat.chatId, key)}}`
  return context.body(body, 200, { 'content-type': 'application/json', ...sharedHeaders })
}

async function readSharedFile(context: HttpContext, services: Services): Promise<Response> {
  const { key, chat, fileIds } = await shareFrom(context, services)
  const fileId = context.req.param('fileId') ?? ''
  const file = fileIds.includes(fileId) ? await services.store.files.read(chat, fileId) : undefined
  const response = file && fileResponse(file, fileId, sharedHeaders)
  if (response === undefined) throw fileNotFound(`The link ${key}`, fileId)
  return response
}

async function shareFrom(context: HttpContext, { isSharing, store }: Services): Promise<FoundShare> {
  if (!isSharing) throw sharingOff()
  const found = await store.shares.find(context.req.param('key') ?? '')
  if (found === undefined) throw shareNotFound()
  return found
}

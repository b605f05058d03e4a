import { ProblemError } from '@throughline/protocol/problem'
import { shownMediaTypes } from '../../runs/keep-file.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatFrom } from '../requests.ts'
import type { Route } from '../route.ts'

/** The route for the files of chats, which agents have saved, such as screenshots. */
export function filesRoutes(services: Services): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/chats/:id/files/:fileId',
      policy: 'owner',
      handle: context => readFile(context, services),
    },
  ]
}

// A file never changes, and only its owner may read it. If it is opened as a page, it cannot do anything.
const fileHeaders = {
  'content-disposition': 'inline',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

async function readFile(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
  const fileId = context.req.param('fileId') ?? ''
  const file = await store.files.read(chat, fileId)
  if (file === undefined || !shownMediaTypes.has(file.mediaType)) throw fileNotFound(chat.chatId, fileId)
  return new Response(file.bytes, {
    headers: { 'content-type': file.mediaType, ...fileHeaders },
  })
}

function fileNotFound(chatId: string, fileId: string): ProblemError {
  const detail = `Chat ${JSON.stringify(chatId)} has no file ${JSON.stringify(fileId.slice(0, 100))}.`
  return new ProblemError(404, 'file-not-found', detail)
}

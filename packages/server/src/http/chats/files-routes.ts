import { ProblemError } from '@throughline/protocol'
import type { StoredFile } from '@throughline/store'
import { documentTypes, isTextType, pictureTypes } from '../../runs/file-types.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatFrom } from '../requests.ts'
import type { Route } from '../route.ts'

/** The route for the files of chats: what agents have saved, such as screenshots, and what people have sent. */
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
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

async function readFile(context: HttpContext, { store }: Services): Promise<Response> {
  const chat = chatFrom(context)
  const fileId = context.req.param('fileId') ?? ''
  const file = await store.files.read(chat, fileId)
  const disposition = file && dispositionOf(file, fileId)
  if (file === undefined || disposition === undefined) throw fileNotFound(chat.chatId, fileId)
  const charset = isTextType(file.mediaType) ? '; charset=utf-8' : ''
  return new Response(file.bytes, {
    headers: {
      'content-type': file.mediaType + charset,
      'content-disposition': disposition,
      ...fileHeaders,
    },
  })
}

/** Returns how a browser treats a file: it shows pictures, and saves everything else. `undefined`: it is not served. */
function dispositionOf({ mediaType }: StoredFile, fileId: string): string | undefined {
  if (pictureTypes.has(mediaType)) return 'inline'
  const extension = documentTypes.get(mediaType)
  return extension && `attachment; filename="${fileId}.${extension}"`
}

function fileNotFound(chatId: string, fileId: string): ProblemError {
  const detail = `Chat ${JSON.stringify(chatId)} has no file ${JSON.stringify(fileId.slice(0, 100))}.`
  return new ProblemError(404, 'file-not-found', detail)
}

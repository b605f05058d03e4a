import { logName } from '@throughline/log'
import { ProblemError } from '@throughline/protocol'
import type { StoredFile } from '@throughline/store'
import { documentTypes, isTextType, pictureTypes } from '../../files/file-types.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNamedIn } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { respondWithBytes } from '../respond/respond-with-bytes.ts'
import { SharedBodies } from '../respond/shared-bodies.ts'

/** The route for the files of chats: what agents have saved, such as screenshots, and what people have sent. */
export function filesRoutes(services: Services): readonly Route[] {
  const bodies = new SharedBodies()
  return [
    {
      method: 'GET',
      path: '/api/chats/:id/files/:fileId',
      policy: 'owner',
      handle: context => readFile(context, services, bodies),
    },
  ]
}

// If a file is opened as a page, it cannot do anything.
const inertHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

// A file never changes, and only its owner may read it.
const ownHeaders = { 'cache-control': 'private, max-age=31536000, immutable' }

// Slices with back pressure, and one copy for all who read a file at the same time: a browser may open many connections,
// and then read nothing.
async function readFile(context: HttpContext, services: Services, bodies: SharedBodies): Promise<Response> {
  const chat = chatNamedIn(context)
  const fileId = context.req.param('fileId') ?? ''
  const body = await bodies.take(`${logName(chat)}/${fileId}`, async () => {
    const file = await services.store.files.read(chat, fileId)
    const headers = file && fileHeaders(file, fileId)
    return headers && { bytes: file.bytes, headers: { ...headers, ...ownHeaders } }
  })
  if (body === undefined) throw fileNotFound(`Chat ${JSON.stringify(chat.chatId)}`, fileId)
  return respondWithBytes(context, services, body)
}

/** Returns the headers of a file, or `undefined` for a type that is not served. */
export function fileHeaders(file: StoredFile, fileId: string): Readonly<Record<string, string>> | undefined {
  const disposition = dispositionOf(file, fileId)
  if (disposition === undefined) return undefined
  const charset = isTextType(file.mediaType) ? '; charset=utf-8' : ''
  return {
    'content-type': file.mediaType + charset,
    'content-disposition': disposition,
    ...inertHeaders,
  }
}

/** Returns how a browser treats a file: it shows pictures, and saves everything else. `undefined`: it is not served. */
function dispositionOf({ mediaType }: StoredFile, fileId: string): string | undefined {
  if (pictureTypes.has(mediaType)) return 'inline'
  const extension = documentTypes.get(mediaType)
  return extension && `attachment; filename="${fileId}.${extension}"`
}

/** For a file that a chat, or a shared copy, does not have. */
export function fileNotFound(where: string, fileId: string): ProblemError {
  const detail = `${where} has no file ${JSON.stringify(fileId.slice(0, 100))}.`
  return new ProblemError(404, 'file-not-found', detail)
}

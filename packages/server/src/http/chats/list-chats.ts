import { ProblemError } from '@throughline/protocol'
import { maxListed } from '../../chat-list/owner-chats.ts'
import type { HttpContext, Services } from '../context.ts'
import { excerptAround } from './excerpt-around.ts'

/** How many chats a search returns at most. */
const maxFound = 50

const maxQueryLength = 200

/** Handles `GET /api/chats`: the newest chats, or with `?q=` those that contain a text. */
export async function listChats(context: HttpContext, { store }: Services): Promise<Response> {
  const ownerId = context.get('ownerId')
  const text = queryIn(context)
  if (text === '') return context.json({ chats: await store.chatList.newest(ownerId, { limit: maxListed }) })
  const search = { text, limit: maxFound, signal: context.env.closed }
  const { chats, isComplete } = await store.chatList.search(ownerId, search)
  return context.json({
    chats: chats.map(({ text: found, ...chat }) =>
      found === undefined ? chat : { ...chat, excerpt: excerptAround(found, text) },
    ),
    isComplete,
  })
}

/** Returns what is searched for. Empty when the request searches for nothing. */
function queryIn({ req }: HttpContext): string {
  // Postgres does not take U+0000.
  const text = (req.query('q') ?? '').replaceAll('\0', '').trim()
  if (text.length <= maxQueryLength) return text
  throw new ProblemError(
    400,
    'query-too-long',
    `The text that is searched for has ${text.length} characters. At most ${maxQueryLength} are allowed.`,
  )
}

import { branchUpTo, type Message, type Part, ProblemError, rootsOf } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { loadHistory } from '../../history.ts'
import type { HttpContext, Services } from '../context.ts'
import { choice } from '../wire-form.ts'
import { responseNotFound } from './open-ai-problem.ts'

/**
 * Returns one page of what the agent read before it wrote a response: the question, and the messages before it on its
 * branch. The newest comes first, unless `?order=asc` asks for the oldest.
 */
export async function inputItems(context: HttpContext, { store }: Services, run: Run) {
  const { after, limit } = pageFrom(context)
  const order = choice(context, 'order', ['asc', 'desc']) ?? 'desc'
  const history = await loadHistory(store, run)
  if (history === undefined) throw responseNotFound(run.id)
  const roots = rootsOf(history.messages)
  const given = branchUpTo(history.messages, run.userMessageId).filter(({ id }) => !roots.has(id))
  const items = order === 'asc' ? given : given.toReversed()
  const begin = after === undefined ? 0 : 1 + items.findIndex(({ id }) => id === after)
  if (after !== undefined && begin === 0)
    throw invalidPage(`Response ${run.id} has no input item ${JSON.stringify(after.slice(0, 128))}.`)
  const data = items.slice(begin, begin + limit).map(itemOf)
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: begin + limit < items.length,
  } as const
}

/** Reads `?limit=` and `?after=`. */
function pageFrom(context: HttpContext): { readonly after: string | undefined; readonly limit: number } {
  const { after, limit: given } = context.req.query()
  const limit = given === undefined ? 20 : Number(given)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return { after, limit }
  throw invalidPage('"limit" is a whole number from 1 to 100.')
}

function invalidPage(detail: string): ProblemError {
  return new ProblemError(400, 'invalid-page', detail)
}

/** Returns a message as an item. Its tools and its reasoning are left out, as in the output of a response. */
function itemOf({ id, role, parts }: Message) {
  return { id, type: 'message', role, status: 'completed', content: parts.flatMap(contentOf(role)) } as const
}

type Content =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'output_text'; readonly text: string; readonly annotations: []; readonly logprobs: [] }
  | { readonly type: 'input_image'; readonly detail: 'auto'; readonly image_url: string }
  | { readonly type: 'input_file'; readonly file_url: string; readonly filename?: string | undefined }

function contentOf(role: Message['role']): (part: Part) => readonly Content[] {
  return part => {
    if (part.type === 'text') {
      const { text } = part
      return [
        role === 'user'
          ? { type: 'input_text', text }
          : { type: 'output_text', text, annotations: [], logprobs: [] },
      ]
    }
    if (part.type !== 'file') return []
    const { url, filename, mediaType } = part
    return mediaType.startsWith('image/')
      ? [{ type: 'input_image', detail: 'auto', image_url: url }]
      : [{ type: 'input_file', file_url: url, filename }]
  }
}

import { branchUpTo, type Message, type Part, ProblemError, rootsOf } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { planDelete } from '../../changes/plans.ts'
import { turnOf } from '../../changes/turn.ts'
import { loadHistory } from '../../chats/history.ts'
import { removeChat } from '../../chats/remove-chat.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { choice } from '../respond/wire-form.ts'
import { responseNotFound } from './open-ai-problem.ts'

/**
 * Returns one page of what the agent read before it wrote a response: the question, and the messages before it on its
 * branch. The newest comes first, unless `?order=asc` asks for the oldest.
 */
export async function inputItemsPage(context: HttpContext, { store }: Services, run: Run) {
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

/**
 * Deletes a response: its question and its answer. If the question has other answers too, it stays. A chat in which
 * nothing else was asked goes with the response: most responses have a chat of their own. An answer that is being written
 * is stopped first.
 */
export async function deleteResponse(services: Services, run: Run): Promise<void> {
  const { runner, store } = services
  await runner.stop(run, run.id)
  const history = await loadHistory(store, run)
  if (history === undefined) throw responseNotFound(run.id)
  const deleted = hasOtherAnswers(history.messages, run) ? run.answerId : run.userMessageId
  const ids = new Set(turnOf(history.messages, deleted)?.messageIds)
  if (history.messages.every(message => ids.has(message.id) || isOnlyGiven(message))) {
    await removeChat(services, run)
    return
  }
  await runner.change(run, messages => {
    const planned = planDelete(messages, deleted)
    if (planned === undefined) throw responseNotFound(run.id)
    return planned
  })
}

function hasOtherAnswers(messages: readonly Message[], { userMessageId, answerId }: Run): boolean {
  const turn = turnOf(messages, userMessageId)
  const roots = rootsOf(messages)
  return [...(turn?.own ?? [])].some(id => id !== userMessageId && id !== answerId && !roots.has(id))
}

/** Returns whether a message only came with a request, as what was said before: nobody here wrote it or was asked it. */
function isOnlyGiven({ role, metadata }: Message): boolean {
  return (role === 'user' ? metadata?.receiverName : metadata?.agent) === undefined
}

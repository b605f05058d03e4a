import { isRunId, type OwnerId, ProblemError, textOf } from '@throughline/protocol'
import { z } from 'zod'
import type { Services } from '../request/context.ts'
import { unsupported } from './open-ai-problem.ts'

/** The text of a message. */
interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A file of a message, as `takeFiles` reads it. */
interface SentFilePart {
  readonly type: 'file'
  /** A data URL. `takeFiles` refuses other addresses. */
  readonly url: string
  readonly filename?: string | undefined
}

/** A message of a conversation that an OpenAI client sends. */
export interface Said {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly (TextPart | SentFilePart)[]
}

/** What an OpenAI client sends: the question, and what was said before it. */
export interface OpenAiConversation {
  /** Begins with a user's message, or is empty. */
  readonly before: readonly Said[]
  readonly question: Said
}

const fileFields = { file_data: z.string().optional(), filename: z.string().optional() }

/** A part of a message: of chat completions, or of the Responses interface. */
const contentPart = z.object({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).nullish(),
  file: z.object(fileFields).optional(),
  ...fileFields,
})

/** A message in OpenAI's form, or another item of a response. */
export const sentMessage = z.object({
  type: z.unknown().optional(),
  id: z.unknown().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  /** The call that a message of the role "tool" is the result of, in chat completions. */
  tool_call_id: z.string().optional(),
  /** The call that an item `function_call_output` is the result of, in the Responses interface. */
  call_id: z.string().optional(),
  output: z.unknown().optional(),
})
/** A message as an OpenAI client sends it. */
export type ConversationMessage = z.infer<typeof sentMessage>

/**
 * Returns the conversation in the messages of a request.
 *
 * Only what users and assistants said is taken. The agent has instructions and tools of its own, so system and developer
 * messages, tool calls and their results are left out. (Results for which a run waits are taken: see `tool-results.ts`.) So is everything before the first message of a user.
 */
export function conversationIn(messages: readonly ConversationMessage[]): OpenAiConversation {
  const said = messages.flatMap(saidIn)
  const question = said.at(-1)
  if (question?.role !== 'user') {
    throw new ProblemError(
      400,
      'no_user_message',
      'There is nothing to answer: the last message must have the role "user", and a text or a file.',
    )
  }
  const first = said.findIndex(({ role }) => role === 'user')
  return { before: said.slice(first, -1), question }
}

/** Returns the text of a message, without its files. */
export function textIn({ parts }: Said): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function saidIn({ role, content }: ConversationMessage): readonly Said[] {
  if (role !== 'user' && role !== 'assistant') return []
  const sent = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const parts = sent.flatMap(part => saidPart(part, role))
  return parts.every(part => part.type === 'text' && part.text.trim() === '') ? [] : [{ role, parts }]
}

const textTypes = ['text', 'input_text', 'output_text']

function saidPart(part: z.infer<typeof contentPart>, role: Said['role']): Said['parts'] {
  const { type, text, image_url } = part
  if (textTypes.includes(type) && text !== undefined) return [{ type: 'text', text }]
  // An assistant's refusals and sounds are not what the user asks.
  if (role === 'assistant') return []
  const { file_data, filename } = part.file ?? part
  const url = image_url ?? file_data
  if (url !== undefined) return [{ type: 'file', url, filename }]
  throw unsupported(
    `A message has a part of the type ${JSON.stringify(type.slice(0, 100))}, which this server does not take. Send text, or the data of a file.`,
  )
}

/**
 * Replaces references to items of earlier responses by the answers that the items are parts of. Some clients send
 * references instead of what was said. Several references to one answer become one message. Throws a 400 problem when
 * the owner has no such answer.
 */
export async function withoutReferences(
  services: Services,
  ownerId: OwnerId,
  { input, closed }: { readonly input: readonly ConversationMessage[]; readonly closed: AbortSignal },
): Promise<ConversationMessage[]> {
  const seen = new Set<string>()
  const messages: ConversationMessage[] = []
  for (const item of input) {
    const id = referenceIn(item)
    closed.throwIfAborted()
    if (seen.size > maxReferences) throw tooManyReferences()
    if (id === undefined) messages.push(item)
    else if (!seen.has(runIn(id))) messages.push(await answerWith(services, ownerId, id))
    if (id !== undefined) seen.add(runIn(id))
  }
  return messages
}

/** How many earlier answers one request may name. Each is read from the store. */
const maxReferences = 1_000

function tooManyReferences(): ProblemError {
  return unsupported(
    `The request names more than ${maxReferences} earlier answers. Send "previous_response_id" in place of them.`,
  )
}

function referenceIn({ type, id }: ConversationMessage): string | undefined {
  return type === 'item_reference' ? String(id) : undefined
}

/** Returns the run in the id of an item, which begins with it: see `ResponseProjection`. */
function runIn(itemId: string): string {
  return itemId.slice(0, Math.max(0, itemId.indexOf(':')))
}

async function answerWith(
  { store }: Services,
  ownerId: OwnerId,
  itemId: string,
): Promise<ConversationMessage> {
  const runId = runIn(itemId)
  const run = isRunId(runId) ? await store.runs.get(ownerId, runId) : undefined
  const answer = run && (await store.messages.find(run, run.answerId))
  if (answer !== undefined) return { role: 'assistant', content: textOf(answer) }
  throw unsupported(
    `There is no finished answer with the item ${JSON.stringify(itemId.slice(0, 128))}. Send the message itself, not a reference to it.`,
  )
}

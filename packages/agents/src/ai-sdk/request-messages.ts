import { isToolPart, type Message, type Part } from '@throughline/protocol'
import { convertToModelMessages, type ModelMessage, type ToolSet, validateUIMessages } from 'ai'
import type { AgentRequest } from '../agent/agent.ts'
import { withoutLostItems } from './without-lost-items.ts'

/** What a model reads when its answer was cut in the middle of a text, because the process died. */
export const goOnNote =
  '[This is a note of the server, not of the user. The connection broke while you wrote the answer above. The user has ' +
  'read all of it. Go on exactly where it ends, even in the middle of a sentence. Repeat nothing, and do not mention this note.]'

/**
 * Returns what a model is sent for one request: the chat, and the beginning of the answer if its process died. If that
 * beginning ends with the model's own words, a note tells the model to go on. After the results of tools no note is
 * needed: they are what a model expects there.
 */
export async function requestMessages(
  { messages, answerSoFar }: Pick<AgentRequest, 'messages' | 'answerSoFar'>,
  tools: ToolSet,
): Promise<ModelMessage[]> {
  if (answerSoFar === undefined) return modelMessages(messages, tools)
  const all = await modelMessages([...messages, answerSoFar], tools)
  // Providers differ in what they do after words of the model's own: some refuse the request, some repeat the words.
  return all.at(-1)?.role === 'assistant' ? [...all, { role: 'user', content: goOnNote }] : all
}

/**
 * Returns a chat as the AI SDK gives it to a model. `tools` say how their outputs are shown to the model. Leaves out
 * empty messages, tool calls without an output, and what `withoutLostItems` leaves out: the providers refuse all of them.
 */
export async function modelMessages(messages: readonly Message[], tools: ToolSet): Promise<ModelMessage[]> {
  const readable = messages.map(withoutLostItems).filter(({ parts }) => parts.length > 0)
  const history = await validateUIMessages({ messages: readable })
  return convertToModelMessages(history, { tools, ignoreIncompleteToolCalls: true })
}

/**
 * Returns the chat that an agent of another library is given: the messages and, if the process died in the middle of the
 * answer, its beginning. If that ends with the model's own words, a note tells the model to go on there. After the result of
 * a tool no note is needed: it is what a model expects there.
 */
export function chatToGoOn({
  messages,
  answerSoFar,
}: Pick<AgentRequest, 'messages' | 'answerSoFar'>): readonly Message[] {
  if (answerSoFar === undefined) return messages
  const readable = withoutLostItems(answerSoFar)
  const last = readable.parts.findLast(isSaid)
  if (last === undefined) return messages
  return isToolPart(last) ? [...messages, readable] : [...messages, readable, note]
}

const note: Message = { id: 'go-on', role: 'user', parts: [{ type: 'text', text: goOnNote }] }

function isSaid(part: Part): boolean {
  return isToolPart(part) || (part.type === 'text' && part.text !== '')
}

/** Returns how many model calls an answer has taken so far. */
export function stepsTaken(answerSoFar: Message | undefined): number {
  return answerSoFar?.parts.filter(({ type }) => type === 'step-start').length ?? 0
}

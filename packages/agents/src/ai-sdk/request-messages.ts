import type { Message } from '@throughline/protocol'
import type { ModelMessage, ToolSet } from 'ai'
import type { AgentRequest } from '../agent.ts'
import { goOnNote } from '../go-on-note.ts'
import { modelMessages } from './model-messages.ts'

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

/** Returns how many model calls an answer has taken so far. */
export function stepsTaken(answerSoFar: Message | undefined): number {
  return answerSoFar?.parts.filter(({ type }) => type === 'step-start').length ?? 0
}

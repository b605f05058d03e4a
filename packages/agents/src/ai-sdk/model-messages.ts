import type { Message } from '@throughline/protocol'
import { convertToModelMessages, type ModelMessage, type ToolSet, validateUIMessages } from 'ai'
import { withoutLostItems } from './without-lost-items.ts'

/**
 * Returns a chat as the AI SDK gives it to a model. `tools` say how their outputs are shown to the model. Leaves out
 * empty messages, tool calls without an output, and what `withoutLostItems` leaves out: the providers refuse all of them.
 */
export async function modelMessages(messages: readonly Message[], tools: ToolSet): Promise<ModelMessage[]> {
  const readable = messages.map(withoutLostItems).filter(({ parts }) => parts.length > 0)
  const history = await validateUIMessages({ messages: readable })
  return convertToModelMessages(history, { tools, ignoreIncompleteToolCalls: true })
}

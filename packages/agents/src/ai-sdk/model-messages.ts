import type { Message } from '@throughline/protocol'
import { convertToModelMessages, type ModelMessage, type ToolSet, validateUIMessages } from 'ai'

/**
 * Returns a chat as the AI SDK gives it to a model. `tools` say how their outputs are shown to the model. Leaves out
 * empty messages, and tool calls without an output: the providers refuse both.
 */
export async function modelMessages(messages: readonly Message[], tools: ToolSet): Promise<ModelMessage[]> {
  const history = await validateUIMessages({ messages: messages.filter(({ parts }) => parts.length > 0) })
  return convertToModelMessages(history, { tools, ignoreIncompleteToolCalls: true })
}

import type { Message, ToolPart } from '@throughline/protocol'

/** Returns the message of the sub-agent that a call has started; `undefined` while there is none. */
export function startedBy(
  callerId: string,
  { toolCallId }: ToolPart,
  subAgents: readonly Message[],
): Message | undefined {
  return subAgents.find(({ metadata }) => {
    return metadata?.parent?.messageId === callerId && metadata.parent.toolCallId === toolCallId
  })
}

/** Returns the message of a sub-agent, and the messages of all sub-agents that work for it. */
export function workOf(message: Message, subAgents: readonly Message[]): readonly Message[] {
  const below = subAgents.filter(({ metadata }) => metadata?.parent?.messageId === message.id)
  return [message, ...below.flatMap(each => workOf(each, subAgents))]
}

import type { Message } from '@throughline/protocol'

/** Where the name of a sender can come from when the message itself has none. */
export interface NameSources {
  /** The agents of the server, to find the display name of an agent. */
  readonly agents?: readonly { readonly name: string; readonly displayName: string }[]
  /** The agent that the person has chosen. It is assumed until the message itself names one. */
  readonly selectedAgent?: string | undefined
  /** The word for an agent without a name, such as "Agent" or "智能体". */
  readonly fallback: string
}

/** Returns whether an agent wrote this message, and not a person. Works before the message has its metadata, too. */
export function isAgentMessage({ role, metadata }: Message, selectedAgent?: string): boolean {
  if (metadata?.communicationType !== undefined) return metadata.communicationType.startsWith('agent-')
  return (
    role === 'assistant' &&
    selectedAgent !== undefined &&
    selectedAgent !== '' &&
    !selectedAgent.startsWith('user::')
  )
}

/** Returns the name of the message's sender. An empty name counts as no name. */
export function senderNameOf(
  { metadata }: Pick<Message, 'metadata'>,
  { agents = [], selectedAgent, fallback }: NameSources,
): string {
  const displayName = (name: string | undefined) => agents.find(agent => agent.name === name)?.displayName
  const used = metadata?.agentUsed
  return (
    metadata?.senderName ||
    displayName(used) ||
    used ||
    displayName(selectedAgent) ||
    selectedAgent ||
    fallback
  )
}

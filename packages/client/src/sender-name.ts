import type { Message } from '@throughline/protocol/message'

export interface NameSources {
  /** The agents the server has, for messages that name theirs by id only. */
  readonly agents?: readonly { readonly name: string; readonly displayName: string }[]
  /** The agent the person has chosen: right until the message says otherwise. */
  readonly selectedAgent?: string | undefined
  /** The word for an agent nobody named, e.g. "Agent" or "智能体". */
  readonly fallback: string
}

/** Whether an agent wrote this message, and not a person; also before its metadata is there. */
export function isAgentMessage({ role, metadata }: Message, selectedAgent?: string): boolean {
  if (metadata?.communicationType !== undefined) return metadata.communicationType.startsWith('agent-')
  return (
    role === 'assistant' &&
    selectedAgent !== undefined &&
    selectedAgent !== '' &&
    !selectedAgent.startsWith('user::')
  )
}

/** Who wrote a message. An empty name counts as none. */
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

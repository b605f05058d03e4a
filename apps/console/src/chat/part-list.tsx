import { isToolPart, type Message, type Part } from '@throughline/protocol/message'
import { useMemo } from 'react'
import { PartView } from '../parts/part-view.tsx'
import { stepsOf } from '../parts/steps.ts'
import { SubAgentCard } from '../parts/sub-agent-card.tsx'

interface Props {
  readonly message: Message
  /** Messages of sub-agents that work for this message, or for one of theirs. */
  readonly descendants: readonly Message[]
}

/** The parts of a message in order; a call with a sub-agent's message shows that message in its place. */
export function PartList({ message, descendants }: Props) {
  const steps = useMemo(() => stepsOf(message), [message])
  return message.parts.map((part, index) => {
    const key = `${message.id} ${index}`
    const child = isToolPart(part) ? childOf(message, part, descendants) : undefined
    if (child !== undefined && isToolPart(part)) {
      return (
        <SubAgentCard key={key} part={part} child={child}>
          <PartList message={child} descendants={descendants} />
        </SubAgentCard>
      )
    }
    return <PartView key={key} part={part} step={isToolPart(part) ? steps.get(part.toolCallId) : undefined} />
  })
}

function childOf(
  { id }: Message,
  part: Part & { toolCallId: string },
  descendants: readonly Message[],
): Message | undefined {
  return descendants.find(({ metadata }) => {
    return metadata?.parent?.messageId === id && metadata.parent.toolCallId === part.toolCallId
  })
}

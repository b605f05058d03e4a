import { isToolPart, type Message, type Part } from '@throughline/protocol'
import { useMemo } from 'react'
import { PartView } from '../parts/part-view.tsx'
import { stepsOf } from '../parts/steps.ts'
import { WithSources } from '../parts/with-sources.tsx'
import { SubAgentCard } from './sub-agent-card.tsx'

interface Props {
  readonly message: Message
  /** The messages of all sub-agents below this message, at any depth. */
  readonly subAgents: readonly Message[]
}

/** Draws the parts of a message in order. A call that has started a sub-agent is drawn as that sub-agent's message. */
export function PartList({ message, subAgents }: Props) {
  const steps = useMemo(() => stepsOf(message), [message])
  return message.parts.map((part, index) => {
    const key = `${message.id} ${index}`
    const started = isToolPart(part) ? startedBy(message, part, subAgents) : undefined
    if (started !== undefined && isToolPart(part)) {
      return (
        <SubAgentCard key={key} part={part} message={started}>
          <WithSources message={started}>
            <PartList message={started} subAgents={subAgents} />
          </WithSources>
        </SubAgentCard>
      )
    }
    return <PartView key={key} part={part} step={isToolPart(part) ? steps.get(part.toolCallId) : undefined} />
  })
}

/** Returns the message of the sub-agent that a call has started. */
function startedBy(
  { id }: Message,
  part: Part & { toolCallId: string },
  subAgents: readonly Message[],
): Message | undefined {
  return subAgents.find(({ metadata }) => {
    return metadata?.parent?.messageId === id && metadata.parent.toolCallId === part.toolCallId
  })
}

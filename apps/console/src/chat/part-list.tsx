import { isToolPart, type Message } from '@throughline/protocol'
import { useMemo } from 'react'
import { groupParts, type PlacedPart } from '../parts/group-parts.ts'
import { PartView } from '../parts/part-view.tsx'
import { isDelegation, isLive } from '../parts/stage.ts'
import { stepsOf } from '../parts/steps.ts'
import { ToolRun } from '../parts/tool-run.tsx'
import { WithSources } from '../parts/with-sources.tsx'
import { SubAgentCard } from './sub-agent-card.tsx'
import { startedBy } from './sub-agent-work.ts'
import { useUnfolded } from './use-unfolded.ts'

interface Props {
  readonly message: Message
  /** The messages of all sub-agents below this message, at any depth. */
  readonly subAgents: readonly Message[]
}

/** Draws the parts of a message in order. A call to a sub-agent is drawn with that sub-agent's message inside. */
export function PartList({ message, subAgents }: Props) {
  const steps = useMemo(() => stepsOf(message), [message])
  const isWritten = isLive(message)
  const staysUnfolded = useUnfolded(message.id)
  const draw = ({ part, index }: PlacedPart) => {
    const id = `${message.id} ${index}`
    if (!isToolPart(part)) return <PartView key={id} id={id} part={part} isLive={isWritten} />
    const started = startedBy(message.id, part, subAgents)
    if (started === undefined && !isDelegation(part))
      return <PartView key={id} id={id} part={part} step={steps.get(part.toolCallId)} isLive={isWritten} />
    return (
      <SubAgentCard
        key={id}
        id={id}
        part={part}
        message={started}
        subAgents={subAgents}
        isCallerLive={isWritten}
      >
        {started !== undefined && (
          <WithSources message={started}>
            <PartList message={started} subAgents={subAgents} />
          </WithSources>
        )}
      </SubAgentCard>
    )
  }
  return groupParts(message.parts).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    if (group.length === 1 || staysUnfolded(group)) return group.map(draw)
    return (
      <ToolRun
        key={`${message.id} ${first.index}`}
        messageId={message.id}
        placed={group}
        steps={steps}
        isLive={isWritten}
      />
    )
  })
}

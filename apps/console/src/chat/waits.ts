import { isToolPart, type Message, toolNameOf } from '@throughline/protocol'
import { isGoingOn, isLive, stageOf } from '../parts/stage.ts'
import { choiceOf } from '../parts/use-choice.ts'
import type { MessageGroup } from './group-answers.ts'
import { startedBy } from './sub-agent-work.ts'

/** What an agent of an answer waits for, or that it writes at this moment. */
export interface Wait {
  readonly type: 'writing' | 'model' | 'tool' | 'approval' | 'sub-agent'
  /** The names of the sub-agents on the way to it, and the name of the tool. */
  readonly names: readonly string[]
}

/** Returns what an answer waits for, for each of its agents that are at work. Empty when the answer has ended. */
export function waitsOf({ message, subAgents }: MessageGroup): readonly Wait[] {
  return isLive(message) ? waitsIn(message, subAgents, []) : []
}

function waitsIn(message: Message, subAgents: readonly Message[], names: readonly string[]): readonly Wait[] {
  const waits = message.parts.flatMap((part, index): readonly Wait[] => {
    if (part.type === 'text' || part.type === 'reasoning')
      return part.state === 'streaming' ? [{ type: 'writing', names }] : []
    if (!isToolPart(part)) return []
    const stage = stageOf(part, true)
    if (!isGoingOn(stage)) return []
    const started = startedBy(message.id, part, subAgents)
    if (started !== undefined && isLive(started)) {
      const inside = [...names, started.metadata?.senderName ?? '']
      // When the person has closed the card, they do not see what the sub-agent writes.
      const isHidden = choiceOf(`${message.id} ${index}`) === false
      const below = waitsIn(started, subAgents, inside)
      return isHidden
        ? below.map(wait => (wait.type === 'writing' ? { ...wait, type: 'sub-agent' } : wait))
        : below
    }
    return [
      { type: stage === 'waiting' ? 'approval' : 'tool', names: [...names, part.title ?? toolNameOf(part)] },
    ]
  })
  return waits.length === 0 ? [{ type: 'model', names }] : waits
}

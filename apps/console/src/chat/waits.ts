import { awaitedOutputs, isToolPart, type Message, type ToolPart, toolNameOf } from '@throughline/protocol'
import { isGoingOn, isLive, stageOf } from '../parts/stage.ts'
import { choiceOf } from '../parts/use-choice.ts'
import type { MessageGroup } from './group-answers.ts'
import { startedBy } from './sub-agent-work.ts'

/** What an agent of an answer waits for, or that it writes at this moment. */
export interface Wait {
  readonly type: 'writing' | 'model' | 'tool' | 'approval' | 'question' | 'sub-agent'
  /** The names of the sub-agents on the way to it, and the name of the tool. */
  readonly names: readonly string[]
}

/**
 * Returns what an answer waits for, for each of its agents that are at work. Empty when the answer has ended. `choice`
 * returns whether the person has opened or closed a card.
 */
export function waitsOf({ message, subAgents }: MessageGroup, choice = choiceOf): readonly Wait[] {
  const waitsIn = (agent: Message, names: readonly string[]): readonly Wait[] => {
    const asked = new Set(
      awaitedOutputs(agent).flatMap(({ from, toolCallId }) => (from === 'person' ? [toolCallId] : [])),
    )
    const waits = agent.parts.flatMap((part, index): readonly Wait[] => {
      if (part.type === 'text' || part.type === 'reasoning')
        return part.state === 'streaming' ? [{ type: 'writing', names }] : []
      if (!isToolPart(part) || !isGoingOn(stageOf(part, true))) return []
      const started = startedBy(agent.id, part, subAgents)
      if (started === undefined || !isLive(started))
        return [waitForCall(part, names, asked.has(part.toolCallId))]
      const below = waitsIn(started, [...names, started.metadata?.senderName ?? ''])
      return choice(`${agent.id} ${index}`) === false ? below.map(unseen) : below
    })
    return waits.length === 0 ? [{ type: 'model', names }] : waits
  }
  return isLive(message) ? waitsIn(message, []) : []
}

function waitForCall(part: ToolPart, names: readonly string[], isAsked: boolean): Wait {
  const type = part.state === 'approval-requested' ? 'approval' : isAsked ? 'question' : 'tool'
  return { type, names: [...names, part.title ?? toolNameOf(part)] }
}

/** When the person has closed a card, they do not see that text is being written in it. */
function unseen(wait: Wait): Wait {
  return wait.type === 'writing' ? { ...wait, type: 'sub-agent' } : wait
}

import { type MessageRecord, toolNameOf } from '@throughline/protocol'
import type { AgentEvent } from '../agent-event.ts'
import { subAgentToolKey } from '../run/sub-agent-key.ts'
import { cutSubAgentResult, notBegun } from './cut-sub-agent.ts'
import { callOf, openCalls } from './open-calls.ts'

/**
 * Returns the results of the open delegations of a message, as events. `all` has the messages of the run. The messages of
 * the sub-agents must have ended before.
 */
export function delegationResults(
  record: MessageRecord,
  all: readonly MessageRecord[],
): readonly AgentEvent[] {
  return openCalls(record)
    .filter(part => toolNameOf(part) === subAgentToolKey)
    .map(part => {
      const asked = all.find(({ metadata }) => {
        const { parent } = metadata ?? {}
        return parent?.messageId === record.id && parent.toolCallId === part.toolCallId
      })
      const output = asked === undefined ? notBegun : cutSubAgentResult(asked)
      return { type: 'tool-result', ...callOf(part, subAgentToolKey), output }
    })
}

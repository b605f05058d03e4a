import { type Message, type MessageRecord, messageOf, textOf, toolNameOf } from '@throughline/protocol'
import { serverSentence, shorten } from '@throughline/protocol/internal'
import type { AgentEvent } from '../agent/agent-event.ts'
import { Conclusion } from '../delegation/conclusion.ts'
import { maxSummaryChars, type SubAgentResult, subAgentResultOf } from '../delegation/delegate.ts'
import { subAgentToolKey } from '../run/tool-factory-registry.ts'
import { callOf, openCalls } from './close-cut-message.ts'

/**
 * Returns what the caller's model reads about a sub-agent when the process died before the caller had its result. A
 * sub-agent that was cut off returns the text that it had written so far.
 */
export function cutSubAgentResult(record: MessageRecord): SubAgentResult {
  const message = messageOf(record)
  const { status, statusText: text } = message.metadata ?? {}
  if (status === undefined || status === 'streaming' || status === 'interrupted') return interrupted(message)
  const conclusion = new Conclusion()
  conclusion.addMessage(message)
  return subAgentResultOf(message.id, { status, text }, conclusion.text)
}

/** The result of a delegation that had not begun: the sub-agent has no message. */
export const notBegun = {
  ok: false,
  code: 'INTERRUPTED',
  message: serverSentence('agent-not-begun'),
} as const

function interrupted(message: Message): SubAgentResult {
  return {
    ok: false,
    code: 'INTERRUPTED',
    message: serverSentence('agent-cut'),
    messageId: message.id,
    summary: shorten(textOf(message), maxSummaryChars, '… (shortened; the user sees all of it)'),
  }
}

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

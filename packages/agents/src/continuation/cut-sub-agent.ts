import { type Message, type MessageRecord, messageOf, textOf } from '@throughline/protocol'
import { serverSentence, shorten } from '@throughline/protocol/internal'
import { Conclusion } from '../delegation/conclusion.ts'
import { maxSummaryChars, resultOf, type SubAgentResult } from '../delegation/delegate.ts'

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
  return resultOf(message.id, { status, text }, conclusion.text)
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

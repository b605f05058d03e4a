import { textOf } from '@throughline/protocol/message'
import type { Finding, Submission } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/**
 * C1: a message that was sent is there once, with its text. C2: however often it was sent, it has one run, and every
 * 202 named that run. A message that was accepted is never missing. One that was not accepted may be.
 */
export function checkSubmissions(history: ReadHistory): readonly Finding[] {
  return [...history.submissions.flatMap(sent => checkSubmission(history, sent)), ...unknownMessages(history)]
}

function checkSubmission(
  { entries, messages }: ReadHistory,
  { messageId, text, accepted }: Submission,
): readonly Finding[] {
  const findings: Finding[] = []
  const runs = new Set<string>(
    entries
      .filter(entry => entry.chunk.type === 'data-message' && entry.messageId === messageId)
      .map(entry => entry.runId),
  )
  for (const { runId } of accepted) runs.add(runId)
  if (runs.size > 1)
    findings.push({
      kind: 'doubled',
      invariant: 'C2',
      detail: `Message ${messageId} has the runs ${[...runs].join(', ')}.`,
    })
  const saved = messages.find(({ id }) => id === messageId)
  if (saved !== undefined && textOf(saved) !== text)
    findings.push({
      kind: 'wrong-bytes',
      invariant: 'C1',
      detail: `Message ${messageId} says ${textOf(saved)}, not ${text}`,
    })
  for (const { responseMessageId } of accepted) {
    if (saved !== undefined && messages.some(({ id }) => id === responseMessageId)) continue
    const detail = `Message ${messageId} was accepted, but it or its answer ${responseMessageId} is missing.`
    findings.push({ kind: 'lost', invariant: 'C2', detail })
    break
  }
  return findings
}

function unknownMessages({ messages, submissions }: ReadHistory): readonly Finding[] {
  const sent = new Set(submissions.map(({ messageId }) => messageId))
  return messages
    .filter(({ id, role }) => role === 'user' && !sent.has(id))
    .map(({ id }) => ({ kind: 'doubled', invariant: 'C1', detail: `Nobody sent the message ${id}.` }))
}

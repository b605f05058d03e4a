import type { Message } from '@throughline/protocol/message'
import type { Finding, Submission } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/**
 * C3: an answer has the beginning of what its agent said, without a gap and without a repetition; all of it if the
 * answer has finished. D2: a run that a stop has stopped says so, and a run that had ended before says how it ended.
 */
export function checkAnswers({ submissions, messages, stops }: ReadHistory): readonly Finding[] {
  return submissions.flatMap(sent => {
    const answer = answerTo(messages, sent)
    if (answer === undefined) return []
    const own = stops.filter(({ messageId }) => messageId === sent.messageId)
    return [...checkText(answer, sent), ...own.flatMap(({ result }) => checkStop(answer, result))]
  })
}

function answerTo(messages: readonly Message[], { messageId, accepted }: Submission): Message | undefined {
  const [first] = accepted
  if (first !== undefined) return messages.find(({ id }) => id === first.responseMessageId)
  // The id of the answer is not known. The answer of the master stands right after the user's message.
  const next = messages[messages.findIndex(({ id }) => id === messageId) + 1]
  return next?.role === 'assistant' ? next : undefined
}

function checkText({ id, parts, metadata }: Message, { said, messageId }: Submission): readonly Finding[] {
  if (said === undefined) return []
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  const isWhole = metadata?.status === 'finished' ? text === said : said.startsWith(text)
  if (isWhole) return []
  const detail = `Answer ${id} to ${messageId} (${metadata?.status}) says "${text.slice(-200)}", and its agent said "${said.slice(0, 200)}".`
  return [{ kind: text.length < said.length ? 'lost' : 'doubled', invariant: 'C3', detail }]
}

function checkStop({ id, metadata }: Message, result: string): readonly Finding[] {
  const isStopped = metadata?.status === 'stopped'
  if ((result === 'stopped') === isStopped || (result === 'already-ended' && isStopped)) return []
  const detail = `A stop of answer ${id} said ${result}, and its status is ${metadata?.status}.`
  return [{ kind: 'other', invariant: 'D2', detail }]
}

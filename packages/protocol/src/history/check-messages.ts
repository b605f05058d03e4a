import type { Entry } from '../entries/entry.ts'
import { emptyChat, messagesOf } from '../fold/chat-state.ts'
import { fold } from '../fold/fold.ts'
import { type Message, textOf } from '../message/message.ts'
import { isSameValue } from '../values/json.ts'
import type { Finding, PostedBlock, SentSubmission } from './chat-history.ts'
import { type ReadChat, type ReadHistory, textOfValue } from './read-history.ts'

/** C1: each message is there once. C3: the messages are what the log says, and no message is still being written. */
export function checkMessages({ entries, messages }: ReadChat): readonly Finding[] {
  const findings: Finding[] = []
  const ids = new Set<string>()
  for (const { id, metadata } of messages) {
    if (ids.has(id))
      findings.push({ kind: 'doubled', invariant: 'C1', detail: `Message ${id} is there twice.` })
    ids.add(id)
    if (metadata?.status === 'streaming')
      findings.push({
        kind: 'left-running',
        invariant: 'D4',
        detail: `Message ${id} is still being written.`,
      })
  }
  return [...findings, ...compareWithLog(entries, messages)]
}

function compareWithLog(entries: readonly Entry[], messages: readonly Message[]): readonly Finding[] {
  const shown = messagesIn(entries)
  if (typeof shown === 'string') return [{ kind: 'wrong-bytes', invariant: 'C3', detail: shown }]
  if (isSameValue(shown, messages)) return []
  const different = shown.findIndex((message, place) => !isSameValue(message, messages[place]))
  const index = different === -1 ? shown.length : different
  const detail = `The log says ${textOfValue(shown[index])}, and saved is ${textOfValue(messages[index])}`
  return [{ kind: 'wrong-bytes', invariant: 'C3', detail }]
}

/** Returns the messages that a log makes, or in words why nobody can read it. */
function messagesIn(entries: readonly Entry[]): readonly Message[] | string {
  try {
    return messagesOf(entries.reduce(fold, emptyChat()))
  } catch (error) {
    return `No page can show this log: ${error}`
  }
}

/**
 * C1: a message that was sent is there once, with its text. C2: however often it was sent, it has one run, and every
 * 202 named that run. A message that was accepted is never missing. One that was not accepted may be.
 */
export function checkSubmissions(chat: ReadChat, { submissions }: ReadHistory): readonly Finding[] {
  if (submissions === undefined) return []
  return [
    ...submissions.flatMap(sent => checkSubmission(chat, sent)),
    ...unknownMessages(chat.messages, submissions),
  ]
}

function checkSubmission(
  { entries, messages }: ReadChat,
  { messageId, text, accepted }: SentSubmission,
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

function unknownMessages(
  messages: readonly Message[],
  submissions: readonly SentSubmission[],
): readonly Finding[] {
  const sent = new Set(submissions.map(({ messageId }) => messageId))
  return messages
    .filter(({ id, role }) => role === 'user' && !sent.has(id))
    .map(({ id }) => ({ kind: 'doubled', invariant: 'C1', detail: `Nobody sent the message ${id}.` }))
}

/**
 * C3: an answer has the beginning of what its agent said, without a gap and without a repetition; all of it if the
 * answer has finished. D2: a run that a stop has stopped says so, and a run that had ended before says how it ended.
 */
export function checkAnswers(
  { messages }: ReadChat,
  { submissions = [], stops }: ReadHistory,
): readonly Finding[] {
  return submissions.flatMap(sent => {
    const answer = answerTo(messages, sent)
    if (answer === undefined) return []
    const own = stops.filter(({ messageId }) => messageId === sent.messageId)
    return [...checkText(answer, sent), ...own.flatMap(({ result }) => checkStop(answer, result))]
  })
}

function answerTo(
  messages: readonly Message[],
  { messageId, accepted }: SentSubmission,
): Message | undefined {
  const [first] = accepted
  if (first !== undefined) return messages.find(({ id }) => id === first.responseMessageId)
  // The id of the answer is not known. The answer of the master stands right after the user's message.
  const next = messages[messages.findIndex(({ id }) => id === messageId) + 1]
  return next?.role === 'assistant' ? next : undefined
}

function checkText(
  { id, parts, metadata }: Message,
  { said, messageId }: SentSubmission,
): readonly Finding[] {
  if (said === undefined) return []
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  const isWhole = metadata?.status === 'finished' ? text === said : said.startsWith(text)
  if (isWhole) return []
  const detail = `Answer ${id} to ${messageId} (${metadata?.status}) says "${text.slice(-200)}", and its agent said "${said.slice(0, 200)}".`
  return [{ kind: text.length < said.length ? 'lost' : 'doubled', invariant: 'C3', detail }]
}

function checkStop({ id, metadata }: Message, result: string): readonly Finding[] {
  const isStopped = metadata?.status === 'stopped'
  // `stopping` means that the stop takes long to save. It may win or lose against the end of the answer, or a crash.
  if (result === 'stopped' ? isStopped : result !== 'not-found' || !isStopped) return []
  const detail = `A stop of answer ${id} said ${result}, and its status is ${metadata?.status}.`
  return [{ kind: 'other', invariant: 'D2', detail }]
}

/**
 * C6: what a channel shows are the answers: all of them, in order and once, however they were cut into blocks. A key always
 * has the same text. A database that has lost something forgets that it was posted: after that, words may come again, but
 * none is left out.
 */
export function checkPosts(history: ReadHistory): readonly Finding[] {
  const { posts = [], mayLose } = history
  const blocks = new Map<string, PostedBlock>()
  for (const post of posts) {
    const known = blocks.get(post.key) ?? post
    blocks.set(post.key, known)
    if (known.text === post.text) continue
    const detail = `Block ${post.key} was posted as ${quoted(known.text)} and as ${quoted(post.text)}`
    return [{ kind: 'wrong-bytes', invariant: 'C6', detail }]
  }
  if (history.posts === undefined) return []
  return checkBlocks(bare(answersIn(history)), [...blocks.values()], mayLose)
}

function checkBlocks(answers: string, blocks: readonly PostedBlock[], mayLose: boolean): readonly Finding[] {
  /** Up to where the answers were posted, in characters. */
  let end = 0
  for (const { key, text } of blocks) {
    const where = `Block ${key} is ${quoted(text)} After ${quoted(answers.slice(0, end).slice(-50))}`
    const block = bare(text)
    if (answers.startsWith(block, end)) {
      end += block.length
      continue
    }
    const again = end === 0 ? -1 : answers.lastIndexOf(block, end - 1)
    if (again !== -1 && !mayLose)
      return [{ kind: 'doubled', invariant: 'C6', detail: `${where} it was there before.` }]
    if (again === -1) {
      const isLater = answers.includes(block)
      const detail = `${where} comes ${quoted(answers.slice(end, end + 50))}`
      return [{ kind: isLater ? 'lost' : 'wrong-bytes', invariant: 'C6', detail }]
    }
    end = Math.max(end, again + block.length)
  }
  if (end === answers.length) return []
  return [{ kind: 'lost', invariant: 'C6', detail: `Never posted: ${quoted(answers.slice(end))}` }]
}

/** What the saved answers say. Where nobody has read them: what their agents said. */
function answersIn({ saved, submissions = [] }: ReadHistory): string {
  if (saved === undefined) return submissions.map(({ said = '' }) => said).join('')
  const ofChannel = saved.messages.filter(
    ({ role, metadata }) => role === 'assistant' && metadata?.parent === undefined,
  )
  return ofChannel.map(textOf).join('')
}

/** What is left of a text when it does not matter where it was cut. A notice says why an answer has not finished. */
function bare(text: string): string {
  return text.replaceAll(/⚠️[^\n]*/g, '').replaceAll(/\s+/g, '')
}

function quoted(text: string): string {
  return `"${text.slice(0, 200)}".`
}

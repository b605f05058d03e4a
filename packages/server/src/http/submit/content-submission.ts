import { createHash } from 'node:crypto'
import { allPrevious, createId, isMessageId, isRecord, type Message, textOf } from '@throughline/protocol'
import { placeAsShown, type Submission } from '../../admission/submission.ts'
import { loadHistory } from '../../chats/history.ts'
import { attachmentPart, contentParts } from '../attachments/content-parts.ts'
import type { Services } from '../request/context.ts'
import { placedById, type ShownPage } from './placed-by-id.ts'
import { type ShownMessage, shownMessage, squashed } from './shown-message.ts'
import { type AskedWithMessage, anotherAnswerFrom, shownAgainFrom, submissionFrom } from './submission.ts'

/**
 * Returns whether a message has the form of AI SDK 4 or of assistant-ui's data stream runtime. AI SDK 4 also sends
 * `parts`, but only a client that reads data stream lines can be AI SDK 4.
 */
export function isContentMessage(
  value: unknown,
  isDataStream: boolean,
): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || value['content'] === undefined) return false
  return isDataStream || value['parts'] === undefined
}

interface AskedInContent extends AskedWithMessage, ShownPage {
  readonly message: Readonly<Record<string, unknown>>
}

/**
 * Returns what a client asks for that sends `content`, and mostly no ids. Such a client asks for another answer by
 * sending the same question again. While the question is being answered, this counts as the same request. Afterwards
 * it counts as `reload()`.
 */
export async function contentSubmission(services: Services, asked: AskedInContent): Promise<Submission> {
  const { store } = services
  const { id } = shownMessage(asked.message)
  const message = { role: 'user', parts: partsOf(asked.message) }
  const active = await store.runs.active(asked)
  if (id !== undefined) {
    const withId = { ...asked, message: { ...message, id } }
    const isActive = active?.userMessageId === id
    const again = await (isActive ? submissionFrom(services, withId) : shownAgainFrom(services, withId))
    return placedById(services, again, asked)
  }
  const { after, same } = await alignedWith(services, asked)
  const made = await submissionFrom(services, { ...asked, message: { ...message, id: madeId(asked, after) } })
  if (same === undefined || !hasSameFiles(same, made.message)) return placeAsShown(made, after)
  return active?.userMessageId === same.id
    ? submissionFrom(services, { ...asked, message: same })
    : anotherAnswerFrom(services, { ...asked, messageId: same.id })
}

async function alignedWith({ store }: Services, { shown, ...chat }: AskedInContent): Promise<Aligned> {
  if (shown === undefined) return { after: undefined, same: undefined }
  const history = await loadHistory(store, chat)
  return alignHistory(history?.messages ?? [], shown)
}

/** Makes an id from a message and from what stands before it. So the same request sent again has the same id. */
function madeId({ chatId, message, shown }: AskedInContent, after: string | undefined): string {
  const { text } = shownMessage(message)
  const parts = partsOf(message)
  const files = Array.isArray(parts) ? parts.filter(part => isRecord(part) && part['type'] === 'file') : []
  const from = [chatId, after ?? shown ?? createId(isMessageId, 'msg'), text, ...files]
  return `msg_${createHash('sha256').update(JSON.stringify(from)).digest('hex').slice(0, 32)}`
}

/** Returns the parts of a message, with the attachments of AI SDK 4 as file parts. */
function partsOf({
  content,
  experimental_attachments: attached,
}: Readonly<Record<string, unknown>>): unknown {
  const parts = contentParts(content)
  const files = Array.isArray(attached) ? attached.map(attachmentPart) : []
  return Array.isArray(parts) ? [...files, ...parts] : parts
}

function hasSameFiles(one: Message, other: Message): boolean {
  const urlsOf = ({ parts }: Message) => parts.flatMap(part => (part.type === 'file' ? [part.url] : []))
  return urlsOf(one).join() === urlsOf(other).join()
}

/** Where the newest question of a page belongs in the chat. */
interface Aligned {
  /** The message that the newest question follows. Empty for none, `undefined` when it cannot be found. */
  readonly after: string | undefined
  /** The newest question itself, if the chat has it already because it was sent before. */
  readonly same: Message | undefined
}

/**
 * Finds the place of the newest question on a page, for clients that send messages without ids. Compares the texts
 * that the page shows with the tree of the chat's messages. Goes from each question to the one with the same text.
 * Goes from each answer to the one with the same text, or to the newest one if there is none. Pure.
 */
export function alignHistory(messages: readonly Message[], shown: readonly ShownMessage[]): Aligned {
  const tree = treeOf(messages)
  const last = shown.findLastIndex(({ role }) => role === 'user')
  let place = ''
  for (const { role, text } of shown.slice(0, last)) {
    if (role === 'user') {
      const question = tree.question(place, text)
      if (question === undefined) return { after: undefined, same: undefined }
      place = question.id
    } else if (role === 'assistant') place = tree.answer(place, text)?.id ?? place
  }
  const { text = '' } = shown[last] ?? {}
  return { after: place, same: tree.question(place, text) }
}

/** Each message is looked at once, so looking a text up does not depend on how many messages stand at a place. */
function treeOf(messages: readonly Message[]) {
  const previous = allPrevious(messages)
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  // A later message of the same text replaces an earlier one: the newest counts.
  const byText = new Map<string, Message>()
  const newest = new Map<string, Message>()
  for (const message of messages) {
    const at = `${message.role} ${previous.get(message.id)}`
    byText.set(`${at} ${squashed(textOf(message))}`, message)
    newest.set(at, message)
  }
  return {
    question: (place: string, text: string) => byText.get(`user ${place} ${squashed(text)}`),
    answer(place: string, text: string) {
      const same = byText.get(`assistant ${place} ${squashed(text)}`)
      // A page may show one answer as several messages. The first of them leads to the answer, and the others stay
      // there.
      return same ?? (roles.get(place) === 'user' ? newest.get(`assistant ${place}`) : undefined)
    },
  }
}

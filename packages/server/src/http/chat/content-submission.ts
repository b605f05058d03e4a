import { createHash } from 'node:crypto'
import { createId, isMessageId, isRecord, type Message } from '@throughline/protocol'
import { loadHistory } from '../../history.ts'
import { placeAsShown, type Submission } from '../../runs/submission.ts'
import { attachmentPart, contentParts } from '../attachments/content-parts.ts'
import type { Services } from '../context.ts'
import { type Aligned, alignHistory } from '../places/align-history.ts'
import { placedById, type ShownPage } from '../places/placed-by-id.ts'
import { shownMessage } from '../places/shown-message.ts'
import { type AskedWithMessage, anotherAnswerFrom, shownAgainFrom, submissionFrom } from '../submission.ts'

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

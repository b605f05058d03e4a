import { createHash } from 'node:crypto'
import { isRecord } from '@throughline/protocol/chunk'
import { createId, isMessageId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import { loadHistory } from '../../history.ts'
import { placeAsShown, type Submission } from '../../runs/submission.ts'
import type { Services } from '../context.ts'
import { type Aligned, alignHistory } from '../places/align-history.ts'
import { placedById } from '../places/placed-by-id.ts'
import { type ShownMessage, shownMessage } from '../places/shown-message.ts'
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

interface AskedInContent extends AskedWithMessage {
  readonly message: Readonly<Record<string, unknown>>
  /** The messages that the page shows, with the new one. `undefined` when the client sent the message alone. */
  readonly shown: readonly ShownMessage[] | undefined
}

/**
 * Returns what a client asks for that sends `content`, and mostly no ids. Such a client asks for another answer by
 * sending the same question again. While the question is being answered, this counts as the same request. Afterwards
 * it counts as `reload()`.
 */
export async function contentSubmission(services: Services, asked: AskedInContent): Promise<Submission> {
  const { store } = services
  const { id, text } = shownMessage(asked.message)
  const message = { role: 'user', parts: partsOf(asked.message) }
  const active = await store.runs.active(asked)
  if (id !== undefined) {
    const withId = { ...asked, message: { ...message, id } }
    const isActive = active?.userMessageId === id
    const again = isActive ? submissionFrom(services, withId) : await shownAgainFrom(services, withId)
    return placedById(services, again, asked.shown)
  }
  const { after, same } = await alignedWith(services, asked)
  if (same === undefined) {
    const madeFrom = [asked.chatId, after ?? asked.shown ?? createId(isMessageId, 'msg'), text]
    const made = { ...asked, message: { ...message, id: madeId(madeFrom) } }
    return placeAsShown(submissionFrom(services, made), after)
  }
  return active?.userMessageId === same.id
    ? submissionFrom(services, { ...asked, message: same })
    : anotherAnswerFrom(services, { ...asked, messageId: same.id })
}

async function alignedWith({ store }: Services, { shown, ...chat }: AskedInContent): Promise<Aligned> {
  if (shown === undefined) return { after: undefined, same: undefined }
  const history = await loadHistory(store, chat)
  return alignHistory(history?.messages ?? [], shown)
}

/** Makes an id from a text and from what stands before it. So the same request sent again has the same id. */
function madeId(from: unknown): string {
  return `msg_${createHash('sha256').update(JSON.stringify(from)).digest('hex').slice(0, 32)}`
}

function partsOf({
  content,
  experimental_attachments: attached,
}: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(attached) && attached.length > 0) {
    throw new ProblemError(
      400,
      'invalid-body',
      'The message has attachments, which this server does not take. Send text only.',
    )
  }
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

import { noContext, requestContextSchema } from '@throughline/agents/internal'
import {
  type ChatId,
  type ChatKey,
  idRule,
  isChatId,
  isMessageId,
  isRecord,
  type Message,
  type MessageId,
  type MessageMetadata,
  messageMetadataSchema,
  onBusyModes,
  ProblemError,
} from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { z } from 'zod'
import { maxPersonName } from '../../who/person.ts'
import type { HttpContext } from './context.ts'
import { bodyWithoutFilesTooLarge, maxBodyBytes, maxFilesBodyBytes, readJsonText } from './read-body.ts'

/**
 * The metadata that only the server sets, such as the agent and the status of an answer. If a client sends one of these
 * fields, it is ignored.
 */
const serverFields = Object.keys(
  messageMetadataSchema.omit({ senderName: true, receiverName: true, originalMessageId: true }).shape,
)

/** The metadata that a client may send with its message, and the application's own fields. */
const userMetadata = z
  .record(z.string(), z.unknown())
  .transform(said => Object.fromEntries(Object.entries(said).filter(([key]) => !serverFields.includes(key))))
  .pipe(messageMetadataSchema)

const textPart = z.object({ type: z.literal('text'), text: z.string() })

/** A file of the chat. `takeFiles` has taken its data out before. */
const filePart = z.object({
  type: z.literal('file'),
  mediaType: z.string(),
  url: z.string(),
  filename: z.string().optional(),
})

const userMessage = z.object({
  id: z.string(),
  role: z.literal('user'),
  parts: z
    .array(z.discriminatedUnion('type', [textPart, filePart]))
    .min(1)
    .max(100),
  metadata: userMetadata.optional(),
})

/** Foreign clients may leave it out. Then each route has its own default. */
export const askedOnBusy = z.enum(onBusyModes).optional()

/** What to do with a message while the chat is busy. Default: `reject`. */
export const onBusy = askedOnBusy.default('reject')

/** The body of `POST /api/chat`, as the AI SDK's transport sends it, with our own fields. */
export const chatBody = z.object({
  id: z.string().optional(),
  /** The name of `id` in assistant-ui. */
  threadId: z.string().optional(),
  /**
   * All messages that the page shows. Only the last message of the user is taken, and what the page shows before it.
   */
  messages: z.array(z.unknown()).min(1).optional(),
  /** Or the new message alone. Then it goes to the end of the chat. */
  message: z.unknown().optional(),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().optional(),
  /**
   * The message that the new one follows; empty for the beginning. By default it follows what the page shows before
   * it.
   */
  after: z.string().optional(),
  agent: z.string().optional(),
  // Foreign clients may send something else under this name.
  model: z.string().optional().catch(undefined),
  expected_assistant_message_id: z.string().optional(),
  context: requestContextSchema.default(noContext),
  onBusy: askedOnBusy,
})

/** The body of `POST /api/chats/:id/messages`. */
export const messageBody = z.object({
  message: z.unknown(),
  /**
   * The message that the new one follows; empty for the beginning. By default the last one. After any other message a
   * branch begins.
   */
  after: z.string().optional(),
  agent: z.string().optional(),
  /** The name of a model that the agent offers: see `GET /api/agents`. By default the agent's own. */
  model: z.string().optional(),
  expected_assistant_message_id: z.string().optional(),
  context: requestContextSchema.default(noContext),
  onBusy,
  /** False: the response of a message that has to wait comes as soon as the message is saved in the queue. */
  waitForTurn: z.boolean().default(true),
})

/** The body of `POST /api/chats/:id/answers`: asks for another answer to a message. */
export const answerBody = z.object({
  /** The user's message, or an answer to it. */
  messageId: z.string(),
  agent: z.string().optional(),
  /** By default the model that was chosen for the message, or else the agent's own. */
  model: z.string().optional(),
  expected_assistant_message_id: z.string().optional(),
  context: requestContextSchema.default(noContext),
  onBusy,
})

/** The body of `POST /api/chats/:id/take-over`. */
export const takeOverBody = z.object({
  on: z.boolean(),
  name: z.string().trim().min(1).max(100).default('Operator'),
})

/** The body of `POST /api/chats/:id/reply`: a message of a person who writes instead of the agent. */
export const replyBody = z.object({
  text: z.string().trim().min(1).max(100_000),
  /** The name of the person who says it. By default the person that the message is for. */
  name: z.string().trim().min(1).max(maxPersonName).optional(),
})

/** The body of `POST /api/approvals/:id`. */
export const decisionBody = z.object({ approved: z.boolean(), reason: z.string().max(1_000).optional() })

/** The body of `POST /api/outputs/:id`: the output of a call, or why there is none. */
export const outputBody = z.union([
  z.strictObject({ errorText: z.string().min(1) }),
  z.strictObject({ output: z.unknown() }).refine(body => 'output' in body),
])

/** The body of `POST /api/chats`. */
export const newChatBody = z.object({ id: z.string().optional(), title: z.string().max(200).default('') })

/** The body of `PATCH /api/chats/:id/queue/:messageId`. */
export const waitingChangeBody = z.object({ text: z.string() })

/** The body of `PATCH /api/chats/:id`. */
export const chatChangeBody = z
  .object({ title: z.string().trim().min(1).max(200), pinned: z.boolean() })
  .partial()
  .refine(({ title, pinned }) => title !== undefined || pinned !== undefined, {
    error: 'it changes nothing: send "title" or "pinned"',
  })

/** Reads a JSON body of a known form. Throws a problem that says what is wrong with it. */
export async function readJsonBody<Body>(context: HttpContext, form: z.ZodType<Body>): Promise<Body> {
  return bodyOf(form, await readJsonText(context))
}

/**
 * The same for a body with messages, which may carry files. The usual limit holds for the body without the data of the
 * files.
 */
export async function readMessageBody<Body>(context: HttpContext, form: z.ZodType<Body>): Promise<Body> {
  const text = await readJsonText(context, maxFilesBodyBytes)
  return bodyOf(form, text, value => {
    if (Buffer.byteLength(text) - fileDataLength(value) > maxBodyBytes) throw bodyWithoutFilesTooLarge()
    assertFewMessages(value)
  })
}

/** How many messages one request may bring. Nobody reads a page of this length. */
const maxMessages = 10_000

function assertFewMessages(body: unknown): void {
  if (!isRecord(body)) return
  for (const name of ['messages', 'input']) {
    const list = body[name]
    if (!Array.isArray(list) || list.length <= maxMessages) continue
    throw new ProblemError(
      413,
      'too-many-messages',
      `The body's field "${name}" has more than ${maxMessages} messages. Send the newest ones, or only the new one: the server has the others.`,
    )
  }
}

function bodyOf<Body>(form: z.ZodType<Body>, text: string, check?: (value: unknown) => void): Body {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProblemError(400, 'invalid-json', 'The body is not valid JSON.')
  }
  check?.(value)
  return checked(form, value, 'The body')
}

/** Returns the chat that the path of a request names as `:id`. It belongs to the sender. */
export function chatNamedIn(context: HttpContext): ChatKey {
  return { ownerId: context.get('ownerId'), chatId: chatIdFrom(context.req.param('id')) }
}

/** Checks the id of a chat. Throws a problem when it is missing or not allowed. */
export function chatIdFrom(value: string | undefined): ChatId {
  if (isChatId(value)) return value
  if (value === undefined)
    throw new ProblemError(400, 'invalid-body', 'The body does not say which chat is meant. Send its "id".')
  throw new ProblemError(400, 'invalid-id', `The chat id is not allowed. ${idRule}.`)
}

interface SentMessage {
  /** The name of the sender if the message names none. */
  readonly from?: string | undefined
  readonly to: string
  readonly at: string
  readonly isToPerson?: boolean
  /** The model that the person has chosen for the answer. */
  readonly model?: string | undefined
}

/** Checks a client's message, and returns it in the form in which it is saved. */
export function userMessageFrom(value: unknown, sent: SentMessage): Message & { readonly id: MessageId } {
  const { id, role, parts, metadata = {} } = checked(userMessage, value, 'The message')
  if (!isMessageId(id)) throw new ProblemError(400, 'invalid-id', `The message id is not allowed. ${idRule}.`)
  if (parts.every(part => part.type === 'text' && part.text.trim() === '')) {
    throw new ProblemError(
      400,
      'empty-message',
      'The message has no text. Send at least one text part that is not blank, or a file.',
    )
  }
  const { senderName: named, ...said } = metadata
  // An empty name counts as no name.
  const senderName = named || sent.from
  const fixed: MessageMetadata = {
    ...said,
    ...(senderName ? { senderName } : {}),
    receiverName: metadata.receiverName || sent.to,
    communicationType: sent.isToPerson === true ? 'user-to-user' : 'user-to-agent',
    createdAt: sent.at,
    originalMessageId: metadata.originalMessageId || id,
    ...defined({ chosenModel: sent.model }),
  }
  return { id, role, parts, metadata: fixed }
}

function checked<Value>(form: z.ZodType<Value>, value: unknown, what: string): Value {
  const result = form.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where =
    issue === undefined || issue.path.length === 0 ? what : `${what}'s field "${issue.path.join('.')}"`
  throw new ProblemError(
    400,
    'invalid-body',
    `${where} is not as expected: ${issue?.message ?? 'it is malformed'}.`,
  )
}

/**
 * Returns how many characters of a request body are the data of files. Only the places where clients put files count: the
 * parts and attachments of messages. What is in them is saved as a file, or refused, or not read at all.
 */
function fileDataLength(body: unknown): number {
  if (!isRecord(body)) return 0
  const messages = [body['message'], ...listIn(body['messages']), ...listIn(body['input'])].filter(isRecord)
  const items = messages.flatMap(message => listNames.flatMap(name => listIn(message[name])))
  return sum(items.filter(isRecord).map(itemLength))
}

const listNames = ['parts', 'content', 'experimental_attachments']
const dataNames = ['url', 'data', 'image', 'image_url', 'file_data']
/** Some clients put the data one level deeper. */
const innerNames = [
  ['source', 'value'],
  ['image_url', 'url'],
  ['file', 'file_data'],
] as const

function itemLength(item: Readonly<Record<string, unknown>>): number {
  if (item['type'] === 'text') return 0
  const inner = innerNames.map(([outer, name]) => {
    const value = item[outer]
    return isRecord(value) ? value[name] : undefined
  })
  const values = [...dataNames.map(name => item[name]), ...inner]
  return sum(values.map(value => (typeof value === 'string' ? value.length : 0)))
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** Returns the session that the path of a request names as `:id`. It belongs to the sender. */
export function sessionFrom(context: HttpContext): ChatKey {
  return { ownerId: context.get('ownerId'), chatId: sessionIdFrom(context.req.param('id')) }
}

/** Returns the id of a session. In the event API a chat is called a session. */
export function sessionIdFrom(value: string | undefined): ChatId {
  if (isChatId(value)) return value
  throw new ProblemError(400, 'invalid-id', `The session id is not allowed. ${idRule}.`)
}

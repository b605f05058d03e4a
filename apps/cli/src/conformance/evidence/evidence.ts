import {
  type ChatId,
  createId,
  formatPosition,
  isMessageId,
  isRecord,
  type Message,
  type MessageId,
  type Position,
  parsePosition,
} from '@throughline/protocol'
import type { RecordedEvent } from '@throughline/protocol/history'
import { NoResponse, type Reply, UnexpectedResponse } from './checked-server.ts'
import type { Session } from './session.ts'
import type { SseStream, Waited } from './sse-stream.ts'

/** What several checks look at. Each piece is fetched once, when the first check needs it: agents cost money. */
export class Evidence {
  readonly #session: Session
  #answer: Promise<RecordedAnswer> | undefined
  #log: Promise<RecordedLog> | undefined
  #twice: Promise<SubmittedTwice> | undefined

  constructor(session: Session) {
    this.#session = session
  }

  /** The first answer. */
  answer(): Promise<RecordedAnswer> {
    this.#answer ??= recordAnswer(this.#session)
    return this.#answer
  }

  /** The log of the chat with the first answer, as it was when the answer had ended. */
  log(): Promise<RecordedLog> {
    this.#log ??= this.answer().then(({ chatId }) => readLog(this.#session, chatId))
    return this.#log
  }

  /** The second question, which is sent twice at once. */
  twice(): Promise<SubmittedTwice> {
    this.#twice ??= submitTwice(this.#session)
    return this.#twice
  }
}

/** The stream of the first answer, as a stock client gets it. */
export interface RecordedAnswer {
  readonly chatId: ChatId
  /** The body of the request. */
  readonly body: Readonly<Record<string, unknown>>
  readonly message: UserMessage
  /** The id that we proposed for the answer. */
  readonly answerId: MessageId
  readonly headers: Headers
  /** All events, with `[DONE]`. */
  readonly events: readonly RecordedEvent[]
  /** How the stream ended. `enough` does not occur: the stream is read to its end. */
  readonly end: Waited
  /** When the request was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number
}

interface UserMessage {
  readonly id: MessageId
  readonly role: 'user'
  readonly parts: readonly [{ readonly type: 'text'; readonly text: string }]
}

// Short, because it costs the operator money. But not one word: to see whether a proxy buffers, it must take a moment.
const shortQuestion = 'Name the four seasons, each with one short sentence.'

/** The form of the stream in which each event is the chunk of one entry: with sub-agents, and for the newest AI SDK. */
export const entriesForm = 'subAgents=separate&sdk=7'

/** Asks the agent with `POST /api/chat`, and reads the stream to its end. */
async function recordAnswer(session: Session): Promise<RecordedAnswer> {
  const { agent, message: text = shortQuestion } = session.options
  const chatId = session.newChat()
  const message = userMessage(text)
  const answerId = createId(isMessageId, 'msg')
  const body = { id: chatId, messages: [message], agent, expected_assistant_message_id: answerId }
  const sentAt = performance.now()
  // A proxy that buffers sends even the headers at the end. That is not this request's fault: a check finds it later.
  using stream = await session.server.open(`/api/chat?${entriesForm}`, {
    body,
    withinMs: session.agentMs,
  })
  const end = await stream.until(() => false, session.agentMs)
  const { headers, events } = stream
  return { chatId, body, message, answerId, headers, events: [...events], end, sentAt }
}

/** Returns a new message with this text. */
function userMessage(text: string): UserMessage {
  return { id: createId(isMessageId, 'msg'), role: 'user', parts: [{ type: 'text', text }] }
}

/** The log of a chat, from its beginning to a position. */
interface RecordedLog {
  readonly position: Position
  readonly events: readonly RecordedEvent[]
  /** `enough` when the event at the position has come. */
  readonly end: Waited
}

/** Reads the log of a chat up to the position that the chat has now. The stream is still open then. */
export async function readLog(session: Session, chatId: ChatId): Promise<RecordedLog> {
  const { position } = await readMessages(session, chatId)
  const { epoch, seq } = position
  const last = formatPosition(position)
  const isWhole = ({ events }: SseStream) => events.at(-1)?.id === last || events.length >= seq
  try {
    using stream = await session.server.open(`/api/chats/${chatId}/log?after=${epoch}.0`)
    const end = await stream.until(isWhole, session.options.patienceMs)
    return { position, events: [...stream.events], end }
  } catch (error) {
    // A proxy that buffers may hold even the headers back.
    if (error instanceof NoResponse) return { position, events: [], end: 'late' }
    throw error
  }
}

/** Returns the messages of a chat as the server has saved them, and the position that they stand for. */
export async function readMessages(
  { server }: Pick<Session, 'server'>,
  chatId: ChatId,
): Promise<{ readonly messages: readonly Message[]; readonly position: Position }> {
  const path = `/api/chats/${chatId}/messages?branches=all&subAgents=separate`
  const { status, text, body } = await server.request(path)
  const messages = isRecord(body) ? body['messages'] : undefined
  const given = isRecord(body) ? body['position'] : undefined
  const position = typeof given === 'string' ? parsePosition(given) : undefined
  if (status !== 200 || !isMessageList(messages) || position === undefined)
    throw new UnexpectedResponse(path, status, text)
  return { messages, position }
}

function isMessageList(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.every(each => isRecord(each) && Array.isArray(each['parts']))
}

/** A message that was sent twice at the same moment. */
export interface SubmittedTwice {
  readonly chatId: ChatId
  readonly message: UserMessage
  /** When it was sent, in milliseconds of `performance.now()`. */
  readonly sentAt: number
  readonly replies: readonly [Reply, Reply]
}

// Long, so that there is time to leave and to stop. It is stopped after the first words.
const longQuestion = 'Write a long text: the numbers from one to three hundred in words, one per line.'

/** Sends one message to a new chat, twice at once. */
async function submitTwice(session: Session): Promise<SubmittedTwice> {
  const { agent, message: text = longQuestion } = session.options
  const chatId = session.newChat()
  const message = userMessage(text)
  const body = { message, agent }
  const sentAt = performance.now()
  const send = () => session.server.request(`/api/chats/${chatId}/messages`, { body })
  return { chatId, message, sentAt, replies: await Promise.all([send(), send()]) }
}

import { type ChatId, createId, isMessageId, type MessageId } from '@throughline/protocol'
import type { Session } from './session.ts'
import type { ReceivedEvent } from './sse-splitter.ts'
import type { Waited } from './sse-stream.ts'

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
  readonly events: readonly ReceivedEvent[]
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
const question = 'Name the four seasons, each with one short sentence.'

/** The form of the stream in which each event is the chunk of one entry: with sub-agents, and for the newest AI SDK. */
export const entriesForm = 'subAgents=separate&sdk=7'

/** Asks the agent with `POST /api/chat`, and reads the stream to its end. */
export async function recordAnswer(session: Session): Promise<RecordedAnswer> {
  const { agent, message: text = question } = session.options
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
export function userMessage(text: string): UserMessage {
  return { id: createId(isMessageId, 'msg'), role: 'user', parts: [{ type: 'text', text }] }
}

import { createHash } from 'node:crypto'
import { type FilePart, isDataPart, type Message, textOf } from '@throughline/protocol'
import { currentFrame } from '../run/agent-frame.ts'

/** What a service is told of a conversation. */
export interface RemoteConversation {
  /** The same for all answers of this agent in one chat. Each delegated task has one of its own. */
  readonly chatId: string
  readonly runId: string
  /** The id of the answer that is being written. */
  readonly answerId: string
  /** The chat so far. It ends with the message to answer. */
  readonly messages: readonly Message[]
}

/**
 * Returns the conversation of the run in which this is called. A service does not know the owners of this server, so the
 * owner is a part of the chat's id. So the chats of two owners stay apart, even if they have the same id here. The id is
 * hashed, so that the service does not learn who the owner is.
 */
export function remoteConversation(agentName: string, messages: readonly Message[]): RemoteConversation {
  const { run, agent, messageId } = currentFrame()
  const { ownerId, chatId, runId } = run
  const task = agent.depth === 0 ? [] : [messageId]
  return {
    chatId: `chat_${digest([agentName, ownerId, chatId, ...task])}`,
    runId,
    answerId: messageId,
    messages,
  }
}

/** Returns 32 hexadecimal digits that stand for these texts. */
function digest(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)
}

/** The body of a request to a service. */
export type RequestBody = Readonly<Record<string, unknown>>

/** Returns the body that the AI SDK's `DefaultChatTransport` sends. Leaves out data parts: they are for our own pages. */
export function aiSdkRequestBody({ chatId, messages }: RemoteConversation): RequestBody {
  return {
    id: chatId,
    messages: messages.map(({ id, role, parts }) => ({
      id,
      role,
      parts: parts.filter(part => !isDataPart(part)),
    })),
    trigger: 'submit-message',
  }
}

/**
 * Returns the body of a request for OpenAI's chat completions. Only texts and files are sent. The service has run the
 * tool calls in the messages itself, and does not need them back.
 */
export function openAiRequestBody({ messages }: RemoteConversation): RequestBody {
  return {
    messages: saidIn(messages).map(message => ({
      role: message.role,
      content: contentOf(message, openAiFile),
    })),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** Returns a `RunAgentInput` of AG-UI. Only texts and files are sent. */
export function agUiRequestBody({ chatId, runId, messages }: RemoteConversation): RequestBody {
  return {
    threadId: chatId,
    runId,
    state: {},
    messages: saidIn(messages).map(message => ({
      id: message.id,
      role: message.role,
      content: contentOf(message, agUiFile),
    })),
    tools: [],
    context: [],
    forwardedProps: {},
  }
}

/**
 * Returns the body for another Throughline, which remembers the conversation. Its answers get the ids that they have here.
 * Of earlier messages only the ids are sent: they say which message the new one follows.
 *
 * The id of a question is made from the id of its answer. So a request that is sent again gets the same answer, and a
 * request for another answer to the same question starts another run.
 */
export function throughlineRequestBody({ chatId, answerId, messages }: RemoteConversation): RequestBody {
  const last = messages.length - 1
  return {
    id: chatId,
    messages: messages.map((message, index) => {
      if (message.role !== 'user') return { id: message.id, role: message.role, parts: [] }
      const id = `question_${digest([index === last ? answerId : (messages[index + 1]?.id ?? '')])}`
      return { id, role: 'user', parts: index === last ? questionParts(message) : [] }
    }),
    trigger: 'submit-message',
    expected_assistant_message_id: answerId,
  }
}

function saidIn(messages: readonly Message[]): readonly Message[] {
  return messages.filter(message => textOf(message) !== '' || filesOf(message).length > 0)
}

function questionParts(message: Message): readonly unknown[] {
  const text = textOf(message)
  return [...filesOf(message), ...(text === '' ? [] : [{ type: 'text', text }])]
}

/** Returns the text of a message, or a list of its text and its files. */
function contentOf(message: Message, fileOf: (file: SentFile) => unknown): unknown {
  const text = textOf(message)
  const files = filesOf(message)
  if (files.length === 0) return text
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...files.map(fileOf)]
}

type SentFile = Pick<FilePart, 'type' | 'mediaType' | 'url' | 'filename'>

/** Returns the files of a person's message. Their contents are in data URLs. */
function filesOf({ role, parts }: Message): readonly SentFile[] {
  if (role !== 'user') return []
  return parts.flatMap(part => {
    if (part.type !== 'file') return []
    const { type, mediaType, url, filename } = part
    return [{ type, mediaType, url, filename }]
  })
}

function openAiFile({ mediaType, url, filename = 'file' }: SentFile): unknown {
  return mediaType.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename, file_data: url } }
}

function agUiFile({ mediaType, url }: SentFile): unknown {
  const type = mediaType.startsWith('image/') ? 'image' : 'document'
  return { type, source: { type: 'data', value: url.slice(url.indexOf(',') + 1), mimeType: mediaType } }
}

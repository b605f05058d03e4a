import { isDataPart, type Message, textOf } from '@throughline/protocol/message'
import { type Conversation, digest } from './conversation.ts'

/** What is sent to a service. */
export type RequestBody = Readonly<Record<string, unknown>>

/** As the AI SDK's `DefaultChatTransport` sends it. Data parts are left out: they are for our own pages. */
export function aiSdkBody({ chatId, messages }: Conversation): RequestBody {
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

/** Only the text of the messages is sent. The calls in them were run by the service, which does not need them back. */
export function openAiBody({ messages }: Conversation): RequestBody {
  return {
    messages: saidIn(messages).map(message => ({ role: message.role, content: textOf(message) })),
    stream: true,
    stream_options: { include_usage: true },
  }
}

/** The `RunAgentInput` of AG-UI. Only the text of the messages is sent. */
export function agUiBody({ chatId, runId, messages }: Conversation): RequestBody {
  return {
    threadId: chatId,
    runId,
    state: {},
    messages: saidIn(messages).map(message => ({
      id: message.id,
      role: message.role,
      content: textOf(message),
    })),
    tools: [],
    context: [],
    forwardedProps: {},
  }
}

/**
 * For another Throughline, which remembers the conversation. So its answers get the ids that they have here, and of earlier
 * messages only the ids are sent: they say what the new message follows. The id of a question is made from the id of its
 * answer. So the same request can be sent again and gets the same answer, but another answer to a question is another run.
 */
export function throughlineBody({ chatId, answerId, messages }: Conversation): RequestBody {
  const last = messages.length - 1
  return {
    id: chatId,
    messages: messages.map((message, index) => {
      if (message.role !== 'user') return { id: message.id, role: message.role, parts: [] }
      const id = `question_${digest([index === last ? answerId : (messages[index + 1]?.id ?? '')])}`
      const parts = index === last ? [{ type: 'text', text: textOf(message) }] : []
      return { id, role: 'user', parts }
    }),
    trigger: 'submit-message',
    expected_assistant_message_id: answerId,
  }
}

function saidIn(messages: readonly Message[]): readonly Message[] {
  return messages.filter(message => textOf(message) !== '')
}

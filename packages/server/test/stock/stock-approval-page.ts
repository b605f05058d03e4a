import { Chat } from '@ai-sdk/react'
import { messageMetadataSchema } from '@throughline/protocol'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { approvalServer, type WaitingOptions } from '@throughline/testing/server/waiting-call'
import {
  type ChatInit,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  validateUIMessages,
} from 'ai'
import { until } from './stock-page.ts'

export interface ApprovalPageOptions extends Pick<ChatInit<UIMessage>, 'sendAutomaticallyWhen'> {
  readonly messages?: UIMessage[]
  /** The form of the stream, such as `?subAgents=inline`. */
  readonly form?: string
  readonly chatId?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A stock chat as the AI SDK's documentation sets one up for tools that need approval. */
export function approvalChat(
  url: string,
  {
    form = '',
    chatId = 'chat',
    messages = [],
    headers = {},
    sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses,
  }: ApprovalPageOptions = {},
): Chat<UIMessage> {
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat${form}`, headers })
  return new Chat({ id: chatId, messages, transport, sendAutomaticallyWhen })
}

/** A server whose tool `remove` waits for a person, and a stock page of it. */
export async function startApprovalPage(options: WaitingOptions & ApprovalPageOptions = {}) {
  const { sendAutomaticallyWhen, form, ...server } = options
  const fixture = await approvalServer(server)
  const page = { ...(form && { form }), ...(sendAutomaticallyWhen && { sendAutomaticallyWhen }) }
  return {
    ...fixture,
    chat: approvalChat(fixture.url, page),
    [Symbol.asyncDispose]: () => fixture.server[Symbol.asyncDispose](),
  }
}

/** The messages that a page loads before it shows anything. */
export async function loadedMessages(url: string): Promise<UIMessage[]> {
  return validateUIMessages({ messages: (await loadChat(url)).messages })
}

/** The ids of the requests that the page asks its person for. */
export function requestsOn({ messages }: Chat<UIMessage>): readonly string[] {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap(part => (isToolUIPart(part) && part.state === 'approval-requested' ? [part.approval.id] : []))
}

/** The one request that the page asks its person for. */
export function requestOn(chat: Chat<UIMessage>): string {
  const [id, ...others] = requestsOn(chat)
  if (id === undefined || others.length > 0) throw new Error(`${others.length} requests are open, or none.`)
  return id
}

export function toolStatesOn({ messages }: Chat<UIMessage>): readonly string[] {
  return messages.flatMap(({ parts }) => parts.filter(isToolUIPart)).map(({ state }) => state)
}

/** Waits until something is so, and no request is on its way. */
export async function isShownReady(chat: Chat<UIMessage>, isSo: () => boolean): Promise<void> {
  await until(
    () => chat.status !== 'submitted' && chat.status !== 'streaming' && isSo(),
    look => {
      const stops = [chat['~registerMessagesCallback'](look), chat['~registerStatusCallback'](look)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  )
}

/** Waits until the page shows an answer that has ended, or an error. */
export function isAnswered(chat: Chat<UIMessage>): Promise<void> {
  return isShownReady(chat, () => {
    const { status } = messageMetadataSchema.parse(chat.lastMessage?.metadata)
    return chat.status === 'error' || status !== 'streaming'
  })
}

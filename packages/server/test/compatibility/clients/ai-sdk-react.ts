import '../dom.ts'
import { Chat, useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { type Client, chatId, questionText } from '../client.ts'
import { Screen } from '../screen.ts'
import { seenIn } from '../seen-in-messages.ts'
import { inBrowser, stockTransport } from './ai-readers.ts'

type Shown = Pick<ReturnType<typeof useChat>, 'messages' | 'status' | 'error' | 'addToolApprovalResponse'>

export const aiSdkReact: Client = async asked => {
  const screen = new Screen<Shown>()
  const chat = new Chat<UIMessage>({
    id: chatId,
    transport: stockTransport(asked, inBrowser),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page, { chat, screen }))
  let answered = chat.sendMessage({ text: questionText })
  return {
    shows: words => screen.shows(words),
    async approve(id) {
      await answered
      const { addToolApprovalResponse } = await screen.until(({ messages }) => isShown(messages, id))
      await addToolApprovalResponse({ id, approved: true })
      await screen.until(({ status, messages }) => status === 'ready' && isShown(messages, '"finished"'))
    },
    async comeBack() {
      await answered
      answered = chat.resumeStream()
    },
    async seen() {
      await answered
      const shown = await screen.until(
        ({ messages, status }) => messages === chat.messages && status === chat.status,
      )
      return seenIn(shown.messages, shown.error?.message)
    },
    [Symbol.asyncDispose]: async () => root.unmount(),
  }
}

function Page({ chat, screen }: { readonly chat: Chat<UIMessage>; readonly screen: Screen<Shown> }) {
  const { messages, status, error, addToolApprovalResponse } = useChat({ chat })
  useEffect(() => screen.show({ messages, status, error, addToolApprovalResponse }))
  return null
}

function isShown(messages: readonly UIMessage[], words: string): boolean {
  return JSON.stringify(messages).includes(words)
}

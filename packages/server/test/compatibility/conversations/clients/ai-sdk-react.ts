import '../../dom.ts'
import { Chat, useChat } from '@ai-sdk/react'
import type { UIMessage } from 'ai'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { chatId } from '../../client.ts'
import { inBrowser, stockTransport } from '../../clients/ai-readers.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { savedMessages } from './saved-messages.ts'
import { stockActions, stockState } from './stock-chat.ts'

export const aiSdkReactTalker: Talker = {
  open: place => open(place, []),
  async openAgain(place) {
    return open(place, await savedMessages<UIMessage>(place.url), true)
  },
}

async function open({ url }: Place, messages: UIMessage[], resume = false): Promise<Talk> {
  const screen = new Screen<TalkState>()
  const transport = stockTransport({ url }, inBrowser)
  const chat = new Chat<UIMessage>({ id: chatId, messages, transport })
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page, { chat, resume, screen }))
  await screen.until(() => true)
  return {
    ...stockActions(chat, () => chat.messages),
    screen,
    async [Symbol.asyncDispose]() {
      await chat.stop()
      root.unmount()
    },
  }
}

interface PageProps {
  readonly chat: Chat<UIMessage>
  readonly resume: boolean
  readonly screen: Screen<TalkState>
}

function Page({ chat, resume, screen }: PageProps) {
  const { messages, status, error } = useChat({ chat, resume })
  useEffect(() => screen.show(stockState(messages, status, error)))
  return null
}

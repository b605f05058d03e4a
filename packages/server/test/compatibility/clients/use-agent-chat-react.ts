import '../dom.ts'
import { type AgentChat, useAgentChat } from '@throughline/client/react'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { type Client, chatId, questionText } from '../client.ts'
import { onFrame } from '../dom.ts'
import { Screen } from '../screen.ts'
import { snapshotReading } from './create-chat.ts'

export const reactChat: Client = async ({ url }) => {
  const screen = new Screen<AgentChat>()
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page, { url, screen }))
  const { send, stop, approve } = await screen.until(() => true)
  await send(questionText)
  return {
    ...snapshotReading(screen),
    stop,
    approve,
    [Symbol.asyncDispose]: async () => root.unmount(),
  }
}

function Page({ url, screen }: { readonly url: string; readonly screen: Screen<AgentChat> }) {
  const chat = useAgentChat({ chatId, url, onFrame })
  useEffect(() => screen.show(chat))
  return null
}

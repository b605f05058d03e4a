import '../../dom.ts'
import { type AgentChat, useAgentChat } from '@throughline/client/react'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { chatId } from '../../client.ts'
import { onFrame } from '../../dom.ts'
import { Screen } from '../../screen.ts'
import type { Place, Talk, Talker, TalkState } from '../talk.ts'
import { ownActions, ownState } from './own-chat.ts'

export const reactChatTalker: Talker = { open, openAgain: open }

async function open({ url }: Place): Promise<Talk> {
  const screen = new Screen<TalkState>()
  const rendered = Promise.withResolvers<AgentChat>()
  let messages: AgentChat['messages'] = []
  const show = (chat: AgentChat) => {
    messages = chat.messages
    rendered.resolve(chat)
    screen.show(ownState(chat))
  }
  const root = createRoot(document.createElement('div'))
  root.render(createElement(Page, { url, show }))
  return {
    ...ownActions(await rendered.promise, () => messages),
    screen,
    [Symbol.asyncDispose]: async () => root.unmount(),
  }
}

interface PageProps {
  readonly url: string
  readonly show: (chat: AgentChat) => void
}

function Page({ url, show }: PageProps) {
  const chat = useAgentChat({ chatId, url, onFrame })
  useEffect(() => show(chat))
  return null
}

import { isChatId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { ChatOptions } from '../../src/chat/create-chat.ts'
import { type AgentChat, useAgentChat } from '../../src/react/hooks.ts'

// Without a DOM, effects do not run. The tests of the console cover them, in a real browser.

test('the first frame is an empty chat that is being loaded, and asks nobody', () => {
  const fetch = vi.fn()
  const { html, seen } = render({ chatId: idOf(isChatId, 'chat'), fetch })

  expect(html).toBe('<p>loading 0</p>')
  expect(seen).toMatchObject([
    { messages: [], status: 'loading', connection: 'connecting', error: undefined, unsent: new Map() },
  ])
  expect(fetch).not.toHaveBeenCalled()
})

test('what a person can do works without a receiver, and before the chat is followed', () => {
  const frames: (() => void)[] = []
  const fetch = vi.fn((..._: Parameters<typeof globalThis.fetch>) => new Promise<Response>(() => undefined))
  const onFrame = (callback: () => void) => void frames.push(callback)
  const { send, stop } = render({ chatId: idOf(isChatId, 'chat'), fetch, onFrame }).seen[0] ?? {}
  void send?.('Hello')
  void stop?.()

  expect(fetch.mock.calls.map(([url]) => url)).toEqual(['/api/chats/chat/messages', '/api/chat/chat/stop'])
  expect(frames).toHaveLength(1)
})

function render(options: ChatOptions): { readonly html: string; readonly seen: readonly AgentChat[] } {
  const seen: AgentChat[] = []
  const html = renderToString(createElement(Page, { options, onRender: chat => seen.push(chat) }))
  return { html, seen }
}

function Page({ options, onRender }: { options: ChatOptions; onRender: (chat: AgentChat) => void }) {
  const chat = useAgentChat(options)
  onRender(chat)
  return createElement('p', null, `${chat.status} ${chat.messages.length}`)
}

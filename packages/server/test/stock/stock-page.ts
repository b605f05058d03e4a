import { Chat } from '@ai-sdk/react'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import type { Script } from '@throughline/testing/agent/scripted-agent'
import { idsOf } from '@throughline/testing/http/branch-requests'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { startTestServer } from '@throughline/testing/server/test-server'
import { inTime } from '@throughline/testing/waits/in-time'
import { DefaultChatTransport, type UIMessage, validateUIMessages } from 'ai'
import { expect } from 'vitest'

/** A chat on a server; while it is cut, no request arrives. */
export async function startPage(scripts: readonly Script[] = []) {
  const { agent, given } = recordingAgent(scripts)
  const server = await startTestServer({ agents: [agent] })
  const line = { isCut: false }
  return {
    server,
    url: server.url,
    given,
    line,
    chat: chatOn(server.url, { line }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Page {
  readonly messages?: UIMessage[]
  readonly line?: { readonly isCut: boolean }
}

export function chatOn(url: string, { messages = [], line = { isCut: false } }: Page = {}): Chat<UIMessage> {
  const cuttable: typeof fetch = async (input, init) => {
    if (line.isCut) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
  const transport = new DefaultChatTransport({ api: `${url}/api/chat`, fetch: cuttable })
  return new Chat({ id: 'chat', messages, transport })
}

/** The page as it is after a reload. */
export async function reloaded(url: string): Promise<Chat<UIMessage>> {
  return chatOn(url, { messages: await validateUIMessages({ messages: (await loadChat(url)).messages }) })
}

/** The page shows what the server has as the newest branch, message by message. */
export async function expectShown({ chat, url }: { chat: Chat<UIMessage>; url: string }): Promise<void> {
  expect(chat.error).toBeUndefined()
  expect(chat.status).toBe('ready')
  const { messages } = await loadChat(url)
  expect(idsOf(messages)).toEqual(chat.messages.map(({ id }) => id))
  expect(messages.map(({ parts }) => parts)).toEqual(fromWire(chat.messages.map(({ parts }) => parts)))
}

export function textsOf(chat: Chat<UIMessage>): readonly string[] {
  return chat.messages.map(({ parts }) => parts.map(part => (part.type === 'text' ? part.text : '')).join(''))
}

/** Waits until the chat has the text somewhere in it. */
export function isShown(chat: Chat<UIMessage>, text: string): Promise<void> {
  return until(
    () => JSON.stringify(chat.messages).includes(text),
    look => chat['~registerMessagesCallback'](look),
  )
}

export function until(isSo: () => boolean, register: (look: () => void) => () => void): Promise<void> {
  const held = new Promise<void>(resolve => {
    const look = () => {
      if (!isSo()) return
      unregister()
      resolve()
    }
    const unregister = register(look)
    look()
  })
  return inTime(`${isSo}`, held)
}

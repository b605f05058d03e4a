import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import { errorFrom } from './chat-error.ts'
import { chunksOf } from './chunks-of.ts'
import { positionFrom } from './receive.ts'
import { watchStall } from './watch-stall.ts'

export interface ApiOptions {
  /** Where the server is; by default where the page came from. */
  readonly url?: string | undefined
  readonly headers?: () => Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long the server may be silent in the middle of something; it sends a heartbeat every 15 s. */
  readonly stallMs?: number | undefined
}

export interface LoadedChat {
  readonly messages: readonly Message[]
  readonly position: Position
}

export interface SendOptions {
  readonly agent?: string | undefined
  readonly context?: unknown
  /** The message that this one follows, when that is not the chat's last one. */
  readonly after?: string | undefined
}

export interface Accepted {
  readonly responseMessageId: string
  /** The run is in the log after this. */
  readonly position: Position
}

/** The server's routes for one chat. */
export interface ChatApi {
  /** All branches of the chat; `undefined` when it does not exist yet. */
  load(signal: AbortSignal): Promise<LoadedChat | undefined>
  send(message: Message, options: SendOptions): Promise<Accepted>
  /** Asks for another answer to a message that has one, under an id of its own. */
  answerAgain(
    messageId: string,
    options: Omit<SendOptions, 'after'> & { readonly answerId: string },
  ): Promise<Accepted>
  stop(): Promise<void>
  /** Answers a tool call that waits for approval. */
  decide(
    approvalId: string,
    decision: { readonly approved: boolean; readonly reason?: string | undefined },
  ): Promise<void>
  readonly logUrl: string
  request(url: string, init: RequestInit): Promise<Response>
}

export function createChatApi(
  chatId: string,
  { url = '', headers, fetch = globalThis.fetch, stallMs }: ApiOptions,
): ChatApi {
  const chat = `${url}/api/chats/${encodeURIComponent(chatId)}`

  function request(address: string, init: RequestInit): Promise<Response> {
    return fetch(address, {
      ...init,
      headers: { ...headers?.(), ...Object.fromEntries(new Headers(init.headers)) },
    })
  }

  /** Asks, and reads the answer to its end: a server that falls silent on the way has not answered. */
  async function ask(
    address: string,
    init: RequestInit & { readonly signal: AbortSignal },
  ): Promise<Response> {
    const watch = watchStall(init.signal, stallMs)
    try {
      const response = await request(address, { ...init, signal: watch.signal })
      if (response.body === null) return response
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for await (const bytes of chunksOf(response.body)) {
        watch.restart()
        pieces.push(bytes)
      }
      return new Response(new Blob(pieces), response)
    } finally {
      watch.stop()
    }
  }

  async function post(address: string, body: unknown): Promise<Response> {
    // Not tied to a page's life: what a person has asked for is asked for. A server that falls silent ends it.
    const { signal } = new AbortController()
    const response = await ask(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
    if (!response.ok) throw await errorFrom(response)
    return response
  }

  return {
    logUrl: `${chat}/log`,
    request,
    async load(signal) {
      const response = await ask(`${chat}/messages?branches=all`, { signal })
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      const { messages, position } = await response.json()
      return { messages, position: positionFrom(position) }
    },
    async send(message, { agent, context, after }) {
      return accepted(await post(`${chat}/messages`, { message, agent, context, after }))
    },
    async answerAgain(messageId, { agent, context, answerId }) {
      const body = { messageId, agent, context, expected_assistant_message_id: answerId }
      return accepted(await post(`${chat}/answers`, body))
    },
    async decide(approvalId, decision) {
      await post(`${url}/api/approvals/${encodeURIComponent(approvalId)}`, decision)
    },
    async stop() {
      await post(`${url}/api/chat/${encodeURIComponent(chatId)}/stop`, {})
    },
  }
}

async function accepted(response: Response): Promise<Accepted> {
  const { responseMessageId, position } = await response.json()
  return { responseMessageId, position: positionFrom(position) }
}

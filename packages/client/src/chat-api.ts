import type { ChatId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import { errorFrom } from './chat-error.ts'
import { chunksOf } from './chunks-of.ts'
import { positionFrom } from './receive.ts'
import { watchStall } from './watch-stall.ts'

export interface ApiOptions {
  /** Where the server is; by default where the page came from. */
  readonly url?: string
  readonly headers?: () => Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
  /** How long the server may be silent in the middle of something; it sends a heartbeat every 15 s. */
  readonly stallMs?: number | undefined
}

export interface Accepted {
  readonly responseMessageId: string
  /** The run is in the log after this. */
  readonly position: Position
}

/** The server's routes for one chat. */
export interface ChatApi {
  /** `undefined` when the chat does not exist yet. */
  load(
    signal: AbortSignal,
  ): Promise<{ readonly messages: readonly Message[]; readonly position: Position } | undefined>
  send(
    message: Message,
    options: {
      readonly agent?: string | undefined
      readonly context?: unknown
      readonly signal: AbortSignal
    },
  ): Promise<Accepted>
  stop(): Promise<void>
  /** Answers a tool call that waits for approval. */
  decide(
    approvalId: string,
    decision: { readonly approved: boolean; readonly reason?: string },
  ): Promise<void>
  readonly logUrl: string
  request(url: string, init: RequestInit): Promise<Response>
}

export function createChatApi(
  chatId: ChatId,
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

  async function post(address: string, body: unknown, signal: AbortSignal): Promise<Response> {
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
      const response = await ask(`${chat}/messages`, { signal })
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      const { messages, position } = await response.json()
      return { messages, position: positionFrom(position) }
    },
    async send(message, { agent, context, signal }) {
      const response = await post(`${chat}/messages`, { message, agent, context }, signal)
      const { responseMessageId, position } = await response.json()
      return { responseMessageId, position: positionFrom(position) }
    },
    async decide(approvalId, decision) {
      await post(
        `${url}/api/approvals/${encodeURIComponent(approvalId)}`,
        decision,
        new AbortController().signal,
      )
    },
    async stop() {
      await post(`${url}/api/chat/${encodeURIComponent(chatId)}/stop`, {}, new AbortController().signal)
    },
  }
}

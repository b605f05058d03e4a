import type { ChatId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Position } from '@throughline/protocol/position'
import { bodyPieces } from './body-pieces.ts'
import { errorFrom } from './chat-error.ts'
import { positionFrom, type Request } from './receive.ts'
import { watchStall } from './watch-stall.ts'

export interface ApiOptions {
  /** Where the server is; by default where the page came from. */
  readonly url?: string | undefined
  readonly headers?: (() => Readonly<Record<string, string>> | undefined) | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long the server may be silent in the middle of something; it sends a heartbeat every 15 s. */
  readonly stallMs?: number | undefined
}

export interface Accepted {
  /** The run is in the log after this. */
  readonly position: Position
}

export interface LoadedChat {
  readonly messages: readonly Message[]
  /** The last entry that these messages contain. */
  readonly position: Position
}

export interface SendOptions {
  readonly agent?: string | undefined
  readonly context?: unknown
  /** The message that this one follows, when that is not the chat's last one. */
  readonly after?: string | undefined
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
  stop(): Promise<unknown>
  /** Deletes, moves or describes messages that are there: `path` follows the address of the chat's messages. */
  change(method: 'DELETE' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<unknown>
  /** Answers a tool call that waits for approval. */
  decide(
    approvalId: string,
    decision: { readonly approved: boolean; readonly reason?: string | undefined },
  ): Promise<unknown>
  readonly logUrl: string
  readonly request: Request
}

// A chat's id has only characters that a path may have.
export function createChatApi(
  chatId: ChatId,
  { url = '', headers, fetch = globalThis.fetch, stallMs }: ApiOptions,
): ChatApi {
  const request: Request = (address, init) =>
    fetch(address, { ...init, headers: { ...headers?.(), ...init.headers } })

  /** Asks, and reads the answer to its end: a server that falls silent on the way has not answered. */
  async function ask(address: string, init: Parameters<Request>[1]): Promise<Response> {
    const watch = watchStall(init.signal, stallMs)
    try {
      const response = await request(address, { ...init, signal: watch.signal })
      if (!response.body) return response
      const pieces: Uint8Array<ArrayBuffer>[] = []
      for await (const bytes of bodyPieces(response.body)) {
        watch.restart()
        pieces.push(bytes)
      }
      return new Response(new Blob(pieces), response)
    } finally {
      watch.stop()
    }
  }

  async function post(address: string, body: unknown, method = 'POST'): Promise<Response> {
    const response = await ask(address, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      // Not tied to a page's life: what a person has asked for is asked for. A server that falls silent ends it.
      signal: new AbortController().signal,
    })
    if (!response.ok) throw await errorFrom(response)
    return response
  }

  const chat = `${url}/api/chats/${chatId}`
  return {
    logUrl: `${chat}/log`,
    request,
    async load(signal) {
      const response = await ask(`${chat}/messages?branches=all`, { signal })
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      return answerIn(response)
    },
    async send(message, options) {
      return answerIn(await post(`${chat}/messages`, { ...options, message }))
    },
    async answerAgain(messageId, { answerId, ...options }) {
      const body = { ...options, messageId, expected_assistant_message_id: answerId }
      return answerIn(await post(`${chat}/answers`, body))
    },
    decide: (approvalId, decision) =>
      post(`${url}/api/approvals/${encodeURIComponent(approvalId)}`, decision),
    stop: () => post(`${url}/api/chat/${chatId}/stop`, {}),
    change: (method, path, body) => post(`${chat}/messages${path}`, body, method),
  }
}

async function answerIn<Answer extends Accepted>(response: Response): Promise<Answer> {
  const answer = await response.json()
  return { ...answer, position: positionFrom(answer.position) }
}

import {
  type ChatId,
  isMessageId,
  isRecord,
  type Message,
  type OnBusy,
  type Position,
} from '@throughline/protocol'
import { bodyPieces, watchStall } from '../http/body-pieces.ts'
import { badData, errorFrom } from '../http/chat-error.ts'
import { positionFrom, type Request } from './receive.ts'

/** Where the server is, and how to reach it. */
export interface ApiOptions {
  /** The address of the server, without a slash at the end. Default: the address that the page came from. */
  readonly url?: string | undefined
  /** Returns headers for each request, such as `authorization`. */
  readonly headers?: (() => Readonly<Record<string, string>> | undefined) | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * How long the server may be silent in the middle of a response, in milliseconds, before the connection counts as
   * lost. Default: 30,000. The server sends a heartbeat every 15 seconds.
   */
  readonly stallMs?: number | undefined
}

/** What the server returns for a message that it has taken. */
export interface AcceptedMessage {
  /** The entries of the run come after this position of the log. */
  readonly position: Position
}

/** What the server returns for a message that waits in its queue. */
export interface Queued {
  readonly position?: undefined
}

/** A chat as the server has it now. */
export interface LoadedChat {
  /** The messages of all branches. */
  readonly messages: readonly Message[]
  /** The position of the last entry that these messages contain. */
  readonly position: Position
}

/** What is sent together with a message. */
export interface SendOptions {
  /** The name of the agent that is to answer. */
  readonly agent?: string | undefined
  /** The name of the model that is to answer. */
  readonly model?: string | undefined
  /** What the page knows about the person's situation. The agent gets it. */
  readonly context?: unknown
  /** The message that this one follows, when that is not the last one of the chat. */
  readonly after?: string | undefined
  /** What happens while the chat is busy: see `SendMessageOptions`. */
  readonly onBusy?: OnBusy | undefined
}

/** The server's routes for one chat. All of them throw a `ChatError` when the server refuses. */
export interface ChatApi {
  /** Returns the messages of all branches of the chat; `undefined` when the chat does not exist yet. */
  load(signal: AbortSignal): Promise<LoadedChat | undefined>
  /** Sends a message. Resolves when the server has taken it, also into its queue. */
  send(message: Message, options: SendOptions): Promise<AcceptedMessage | Queued>
  /** Asks for another answer to a message. The new answer gets the id `answerId`. */
  answerAgain(
    messageId: string,
    options: Pick<SendOptions, 'agent' | 'model' | 'context'> & { readonly answerId: string },
  ): Promise<AcceptedMessage>
  /** Stops the answer that is being written, or only the run that is named. Resolves when its end is saved. */
  stop(runId: string | undefined): Promise<unknown>
  /** Deletes or moves messages, or changes their metadata. `path` is added to the address of the chat's messages. */
  change(method: 'DELETE' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<unknown>
  /** Sends a person's decision on a tool call that waits for approval. */
  decide(
    approvalId: string,
    decision: { readonly approved: boolean; readonly reason?: string | undefined },
  ): Promise<unknown>
  /** Gives a call the output that it waits for, or says why there is none. */
  giveOutput(requestId: string, output: ToolOutput): Promise<unknown>
  /** The address of the chat's log. */
  readonly logUrl: string
  /** `fetch` with the headers of the application. */
  readonly request: Request
}

/** The output of a call, or why there is none. Both can be read by the model. */
export type ToolOutput = { readonly output: unknown } | { readonly errorText: string }

/** Returns the routes for one chat. Its id needs no encoding: it has only characters that a path may have. */
export function createChatApi(
  chatId: ChatId,
  { url = '', headers, fetch = globalThis.fetch, stallMs }: ApiOptions,
): ChatApi {
  const request: Request = (address, init) =>
    fetch(address, { ...init, headers: { ...headers?.(), ...init.headers } })

  /** Sends a request, and reads the response to its end. Throws when the server falls silent before that. */
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
      // Never aborted: what a person has sent is sent, even if they leave the page. Only a silent server ends it.
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
      const response = await ask(`${chat}/messages?branches=all&missing=empty&subAgents=separate`, { signal })
      // From a server of an earlier version, which does not know `missing`.
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      const body: unknown = await response.json()
      return isRecord(body) && body['position'] === null ? undefined : loadedFrom(body)
    },
    async send(message, options) {
      // A message that has to wait is taken as soon as it is in the queue of the server.
      const waiting = options.onBusy === undefined ? {} : { waitForTurn: false }
      const response = await post(`${chat}/messages`, { ...options, message, ...waiting })
      const body: unknown = await response.json()
      return isRecord(body) && body['isQueued'] ? {} : acceptedFrom(body)
    },
    async answerAgain(messageId, { answerId, ...options }) {
      const request = { ...options, messageId, expected_assistant_message_id: answerId }
      const response = await post(`${chat}/answers`, request)
      return acceptedFrom(await response.json())
    },
    decide: (approvalId, decision) =>
      post(`${url}/api/approvals/${encodeURIComponent(approvalId)}`, decision),
    giveOutput: (requestId, output) => post(`${url}/api/outputs/${encodeURIComponent(requestId)}`, output),
    stop: runId => post(`${url}/api/chat/${chatId}/stop`, { runId }),
    change: (method, path, body) => post(`${chat}/messages${path}`, body, method),
  }
}

function acceptedFrom(body: unknown): AcceptedMessage {
  if (!isRecord(body)) throw badData('it is not an object')
  return { position: positionFrom(body['position']) }
}

/** Reads a chat. Its parts are not checked here: one that cannot be read must not take the others with it. */
function loadedFrom(body: unknown): LoadedChat {
  const { messages } = isRecord(body) ? body : {}
  if (!Array.isArray(messages)) throw badData('it has no messages')
  const unreadable = messages.findIndex(message => !isMessage(message))
  if (unreadable !== -1) throw badData(`message ${unreadable + 1} has another form`)
  return { ...acceptedFrom(body), messages }
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false
  const { id, role, parts, metadata } = value
  const isKnownRole = role === 'user' || role === 'assistant' || role === 'system'
  return (
    isMessageId(id) && isKnownRole && Array.isArray(parts) && (metadata === undefined || isRecord(metadata))
  )
}

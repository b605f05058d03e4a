import { userMessage } from '../http/chat-requests.ts'
import type { Http2Client } from './http2-client.ts'

/** A request without the response that its client wants. */
export interface FailedRequest {
  /** Such as `POST /api/chat`. */
  readonly request: string
  /** `undefined`: there was no response. */
  readonly status: number | undefined
  /** Whether the response says when to come again. */
  readonly hasRetryAfter: boolean
  /** From the request to the end of what came. */
  readonly ms: number
  /** What came instead. */
  readonly detail: string
}

/** A message that was accepted. */
export interface AskedMessage {
  readonly chatId: string
  readonly messageId: string
}

/** Clients that send requests without a pause, and each of them once. */
export interface ManyClients extends AsyncDisposable {
  /** Every message that was accepted so far. */
  readonly asked: readonly AskedMessage[]
  /** Resolves when `count` more requests have got their responses. */
  untilMore(count: number): Promise<void>
  /** Sends nothing new. Resolves with what has failed, when all responses have come. */
  finish(): Promise<readonly FailedRequest[]>
}

export interface ManyClientsOptions {
  readonly client: Http2Client
  /** How many requests are under way at the same time. Default: 4. */
  readonly atOnce?: number
  /** What every message says. */
  readonly text?: string
  /** The agent that an OpenAI client asks. Default: there is no such client. */
  readonly model?: string
}

/** One request, and what its response ends with when it is whole. */
interface Sending extends Partial<AskedMessage> {
  readonly path: string
  /** Without a body it is a GET. */
  readonly body?: unknown
  readonly end: RegExp
}

/**
 * Starts clients that send messages, queue and stop some, load and change chats, bring chats from elsewhere, and ask for answers as
 * streams and in one piece, again and again in new chats. Every response is read to its end.
 */
export function manyClients({ client, atOnce = 4, ...saying }: ManyClientsOptions): ManyClients {
  const failed: FailedRequest[] = []
  const asked: AskedMessage[] = []
  let total = 0
  let answered = Promise.withResolvers<void>()
  let isFinishing = false

  async function sendAll(lane: number): Promise<void> {
    for (let number = 0; !isFinishing; number += 1)
      for (const sending of conversation(`many-${lane}-${number}`, saying)) await send(sending)
  }

  async function send(sending: Sending): Promise<void> {
    const failure = await failureOf(client, sending)
    const { chatId, messageId } = sending
    if (failure !== undefined) failed.push(failure)
    else if (chatId !== undefined && messageId !== undefined) asked.push({ chatId, messageId })
    total += 1
    answered.resolve()
    answered = Promise.withResolvers()
  }

  const lanes = Array.from({ length: atOnce }, (_, lane) => sendAll(lane))
  async function finish() {
    isFinishing = true
    await Promise.all(lanes)
    return failed
  }
  return {
    asked,
    async untilMore(count) {
      const goal = total + count
      while (total < goal) await answered.promise
    },
    finish,
    async [Symbol.asyncDispose]() {
      await finish()
    },
  }
}

function conversation(
  name: string,
  { text = 'How is the weather?', model }: Pick<ManyClientsOptions, 'text' | 'model'>,
): readonly Sending[] {
  const accepted = /"runId":|"isQueued":true/
  const message = (chatId: string, messageId: string, fields: Readonly<Record<string, unknown>> = {}) => ({
    ...{ chatId, messageId, end: accepted, path: `/api/chats/${chatId}/messages` },
    body: { message: userMessage({ messageId, text }), ...fields },
  })
  const question = (path: string, chatId: string, end: RegExp): Sending => ({
    ...{ chatId, messageId: 'question', end, path },
    body: { message: text, session_id: chatId, message_id: 'question' },
  })
  const streamed = `${name}-streamed`
  const stopped = `${name}-stopped`
  return [
    message(name, 'first'),
    message(name, 'second', { onBusy: 'queue', waitForTurn: false }),
    message(name, 'third', { onBusy: 'queue' }),
    { path: `/api/chats/${name}/messages`, end: /"position":"[^"]+"/ },
    {
      ...{ chatId: streamed, messageId: 'question', path: '/api/chat', end: /data: \[DONE]\n\n$/ },
      body: { id: streamed, messages: [userMessage({ text })] },
    },
    message(stopped, 'first'),
    { path: `/api/chat/${stopped}/stop`, body: {}, end: /"result":"(?:stopp|already)/ },
    question('/agent/query-stream-delta', `${name}-events`, /: done\n\n$/),
    question('/agent/query', `${name}-whole`, /}\s*$/),
    {
      path: `/api/chats/${name}-whole/messages/question/move`,
      body: { after: '' },
      end: /"position":"[^"]+"/,
    },
    ...(model === undefined ? [] : [fromElsewhere(`${name}-elsewhere`, { text, model })]),
  ]
}

/** What an OpenAI client sends in the middle of a conversation. */
function fromElsewhere(chat_id: string, { text, model }: { text: string; model: string }): Sending {
  const messages = [
    { role: 'user', content: 'Hello!' },
    { role: 'assistant', content: 'Hello. What can I do for you?' },
    { role: 'user', content: text },
  ]
  return {
    path: '/v1/chat/completions',
    body: { model, messages, metadata: { chat_id } },
    end: /"finish_reason":"stop"[\s\S]*}\s*$/,
  }
}

/** Sends a request once. Returns `undefined` when its response was as it should be. */
async function failureOf(
  client: Http2Client,
  { path, body, end }: Sending,
): Promise<FailedRequest | undefined> {
  const request = `${body === undefined ? 'GET' : 'POST'} ${path}`
  const began = performance.now()
  try {
    const response = await (body === undefined ? client.get(path) : client.post(path, body))
    const { status, hasRetryAfter } = response
    const said = await response.text().catch((error: unknown) => `It was cut: ${error}`)
    if (status < 400 && end.test(said)) return undefined
    return { request, status, hasRetryAfter, ms: performance.now() - began, detail: said.slice(-300) }
  } catch (error) {
    const ms = performance.now() - began
    return { request, status: undefined, hasRetryAfter: false, ms, detail: String(error) }
  }
}

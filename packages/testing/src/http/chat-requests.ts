import { isRecord, type Message } from '@throughline/protocol'
import { z } from 'zod'

export interface Question {
  readonly chatId?: string
  readonly messageId?: string
  readonly text?: string
  /** More fields of the request body, for example `onBusy`. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** The query string that chooses the form of the stream, for example `?approvals=wait`. */
  readonly form?: string
}

const json = { 'content-type': 'application/json' }

/** Posts the new message to the route of stock clients. The response is the run's stream. */
export function ask(url: string, question: Question = {}): Promise<Response> {
  const { chatId = 'chat', fields, headers, form = '' } = question
  const body = { id: chatId, messages: [userMessage(question)], ...fields }
  return sendJson(`${url}/api/chat${form}`, body, { headers })
}

/** Posts a message as our own client does. The response says where to follow the log. */
export function submit(url: string, question: Question = {}): Promise<Response> {
  const { chatId = 'chat', fields, headers } = question
  return sendJson(
    `${url}/api/chats/${chatId}/messages`,
    { message: userMessage(question), ...fields },
    { headers },
  )
}

/** `runId` names the run to stop. By default it is the one that goes on. */
export function stop(url: string, chatId = 'chat', runId?: string): Promise<Response> {
  return sendJson(`${url}/api/chat/${chatId}/stop`, { runId })
}

export function sendJson(
  url: string,
  body: unknown,
  { method = 'POST', headers }: { method?: string; headers?: Question['headers'] } = {},
): Promise<Response> {
  return fetch(url, { method, headers: { ...json, ...headers }, body: JSON.stringify(body) })
}

export function userMessage({ messageId = 'question', text = 'How is the weather?' }: Question = {}) {
  return { id: messageId, role: 'user', parts: [{ type: 'text', text }] }
}

const history = z.object({ messages: z.array(z.custom<Message>(isRecord)), position: z.string() })

/** Returns a chat as the server shows it now, with the messages of sub-agents. */
export async function loadChat(url: string, chatId = 'chat'): Promise<z.infer<typeof history>> {
  const response = await fetch(`${url}/api/chats/${chatId}/messages?subAgents=separate`)
  return history.parse(await response.json())
}

/** Returns the newest answer in a chat. */
export async function loadAnswer(url: string, chatId = 'chat'): Promise<Message> {
  const { messages } = await loadChat(url, chatId)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  if (answer === undefined) throw new Error(`Chat ${chatId} has no answer.`)
  return answer
}

const problem = z.object({ status: z.number(), code: z.string(), detail: z.string() }).loose()

/** Returns the problem (RFC 9457) in a response. Throws if the response is anything else. */
export async function problemOf(response: Response): Promise<z.infer<typeof problem>> {
  const type = response.headers.get('content-type')
  const body = await response.text()
  if (type !== 'application/problem+json') throw new Error(`${response.status} ${type}: ${body}`)
  return problem.parse(JSON.parse(body))
}

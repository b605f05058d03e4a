import { z } from 'zod'
import { type AnswerPlan, answerPlan, questionFor } from '../answer-plan.ts'

/** One HTTP request of a viewer. */
export const viewerRequest = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  /** The id of the chat. A viewer that was cut resumes the stream of this chat. */
  chatId: z.string(),
  body: z.string().optional(),
  /** The answer that the viewer sees. Without a plan, the viewer counts nothing. */
  plan: answerPlan.optional(),
})

export type ViewerRequest = z.infer<typeof viewerRequest>

/** Asks for an answer in a chat, as the AI SDK's client does. The response is the stream of the answer. */
export function askFor(plan: AnswerPlan, chatId: string = crypto.randomUUID()): ViewerRequest {
  const parts = [{ type: 'text', text: questionFor(plan) }]
  const message = { id: crypto.randomUUID(), role: 'user', parts }
  const body = JSON.stringify({ id: chatId, messages: [message], trigger: 'submit-message' })
  return { method: 'POST', path: '/api/chat', chatId, body, plan }
}

/** A question in a chat that goes on. */
export interface NextQuestion {
  readonly chatId: string
  /** The id of the answer that the question follows. None for the first one of the chat. */
  readonly after: string | undefined
  readonly answerId: string
}

/**
 * Asks for the next answer of a chat. A client that sends a question alone says that it follows nothing: then the question
 * begins a branch of its own, and the agent is given no history.
 */
export function askNext(plan: AnswerPlan, { chatId, after, answerId }: NextQuestion): ViewerRequest {
  const before = after === undefined ? [] : [{ id: after, role: 'assistant', parts: [] }]
  const parts = [{ type: 'text', text: questionFor(plan) }]
  const messages = [...before, { id: crypto.randomUUID(), role: 'user', parts }]
  const fields = { id: chatId, messages, trigger: 'submit-message', expected_assistant_message_id: answerId }
  return { method: 'POST', path: '/api/chat', chatId, body: JSON.stringify(fields), plan }
}

/** Follows the log of a chat, as the page does. The stream stays open after the answer. */
export function followLog(chatId: string, plan?: AnswerPlan): ViewerRequest {
  return { method: 'GET', path: `/api/chats/${chatId}/log`, chatId, ...(plan && { plan }) }
}

/** Sends a message to a chat that exists. The response does not wait for the answer. */
export function sendMessage(chatId: string, plan: AnswerPlan): ViewerRequest {
  const parts = [{ type: 'text', text: questionFor(plan) }]
  const body = JSON.stringify({ message: { id: crypto.randomUUID(), role: 'user', parts } })
  return { method: 'POST', path: `/api/chats/${chatId}/messages`, chatId, body }
}

export function createChat(chatId: string): ViewerRequest {
  return { method: 'POST', path: '/api/chats', chatId, body: JSON.stringify({ id: chatId, title: 'Load' }) }
}

export function stopRun(chatId: string): ViewerRequest {
  return { method: 'POST', path: `/api/chat/${chatId}/stop`, chatId, body: '{}' }
}

/** Returns the bytes of a request on its own connection. */
export function requestText(url: URL, { method, path, body = '' }: ViewerRequest, lastEventId = ''): string {
  return [
    `${method} ${path} HTTP/1.1`,
    `host: ${url.host}`,
    ...(lastEventId === '' ? [] : [`last-event-id: ${lastEventId}`]),
    ...(method === 'GET' ? [] : ['content-type: application/json']),
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

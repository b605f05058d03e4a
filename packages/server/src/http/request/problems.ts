import { ProblemError } from '@throughline/protocol'
import { dataHeaders } from './browser-policies.ts'
import type { Services } from './context.ts'

/** For a chat that does not exist, or that belongs to somebody else. */
export const chatNotFound = (chatId: string) =>
  new ProblemError(404, 'chat-not-found', `There is no chat ${JSON.stringify(chatId)}.`)

/** For a message that the chat does not have. */
export const messageNotFound = (chatId: string, messageId: string) =>
  new ProblemError(
    404,
    'message-not-found',
    `Chat ${chatId} has no user message or answer ${JSON.stringify(messageId.slice(0, 128))}.`,
  )

/** For an output of a call that is larger than what is kept of one. */
export const outputTooLarge = ({ system }: Pick<Services, 'system'>) =>
  new ProblemError(
    413,
    'output-too-large',
    `The output of the call is larger than ${system.limits.maxToolOutputBytes} bytes (limits.maxToolOutputBytes). The call goes on waiting: send less, or an error.`,
  )

/** For requests that wait for an answer. A message to a person gets none. */
export const forPerson = (target: string) =>
  new ProblemError(
    409,
    'for-a-person',
    `${JSON.stringify(target.slice(0, 200))} is a person, who replies in their own time. Name an agent, or send a message with POST /api/chats/:id/messages.`,
  )

/** For a path without a route. */
export const routeNotFound = (method: string, path: string) =>
  new ProblemError(
    404,
    'route-not-found',
    `There is no ${method} ${path.slice(0, 200)}. See docs/protocol.md for the routes.`,
  )

/** Returns the response for a problem (RFC 9457). */
export function problemResponse(error: ProblemError): Response {
  return new Response(JSON.stringify(error.toProblem()), {
    status: error.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...dataHeaders,
      ...retryHeaders(error),
    },
  })
}

/** Returns the headers that say when to come again, in seconds. */
export function retryHeaders({ status }: ProblemError): Readonly<Record<string, string>> {
  return status === 503 ? { 'retry-after': '5' } : {}
}

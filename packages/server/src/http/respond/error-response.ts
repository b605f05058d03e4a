import type { ProblemError } from '@throughline/protocol'
import type { OpenAiError } from '../../stream/openai/open-ai-error.ts'
import { problemResponse, retryHeaders } from '../request/problems.ts'

/** Returns the response for an error, in the form that the clients of the path read. */
export function errorResponse(path: string, error: ProblemError): Response {
  if (!openAiPath.test(path)) return problemResponse(error)
  const { status, message, code } = error
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return openAiErrorResponse(status, { error: { message, type, param: null, code } }, retryHeaders(error))
}

/** Returns a response with an error in the form of OpenAI. */
export function openAiErrorResponse(
  status: number,
  error: OpenAiError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(error), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}

const openAiPath = /^\/v1(\/|$)/

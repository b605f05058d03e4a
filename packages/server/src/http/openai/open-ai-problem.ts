import { ProblemError } from '@throughline/protocol'
import type { OpenAiError } from '../../stream/openai/open-ai-error.ts'
import { problemResponse } from '../problems.ts'

/** Returns the response for an error, in the form that the clients of the path read. */
export function errorResponse(path: string, error: ProblemError): Response {
  if (!openAiPath.test(path)) return problemResponse(error)
  const { status, message, code } = error
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return openAiErrorResponse(status, { error: { message, type, param: null, code } })
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

/** For a model that is not the name of an agent. */
export const modelNotFound = (model: string, known: Iterable<string>) =>
  new ProblemError(
    404,
    'model_not_found',
    `There is no agent ${JSON.stringify(model.slice(0, 100))}. Send the name of an agent as "model": ${[...known].join(', ')}.`,
  )

/** For a response that does not exist, was deleted, or belongs to somebody else. */
export const responseNotFound = (id: string) =>
  new ProblemError(404, 'response_not_found', `There is no response ${JSON.stringify(id.slice(0, 128))}.`)

/** For a value that the server cannot respect. `detail` says what to send instead. */
export function unsupported(detail: string): ProblemError {
  return new ProblemError(400, 'unsupported_value', detail)
}

const openAiPath = /^\/v1(\/|$)/

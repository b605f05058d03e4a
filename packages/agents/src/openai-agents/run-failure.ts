import { isRecord } from '@throughline/protocol'
import { APICallError } from 'ai'
import type { AgentEvent } from '../agent-event.ts'
import { GuardrailError } from '../errors/guardrail-error.ts'

/** Returns how an answer ends when its run has thrown. Errors of the SDK are known by their names. */
export function failureEvent(error: unknown): AgentEvent {
  const name = error instanceof Error ? error.name : ''
  switch (name) {
    case 'MaxTurnsExceededError':
      return { type: 'finish', finishReason: 'tool-calls' }
    case 'InputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('question', { cause: error }) }
    case 'OutputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('answer', { cause: error }) }
    case 'ToolInputGuardrailTripwireTriggered':
    case 'ToolOutputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('tool', { cause: error }) }
    default:
      return { type: 'error', error: isApiError(error) ? callErrorOf(error) : error }
  }
}

/** An error of OpenAI's client. `status` is missing when there was no response. */
interface ApiError extends Error {
  readonly status?: unknown
  readonly headers: unknown
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'status' in error && 'headers' in error
}

/**
 * Returns the error that the AI SDK would have thrown, so that people and the log are told the same. The message of the
 * provider is left out: it may repeat the conversation. Its code is kept.
 */
function callErrorOf(error: ApiError): APICallError {
  const { status } = error
  const body = 'error' in error && isRecord(error.error) ? error.error : {}
  return new APICallError({
    message: 'The model provider failed.',
    url: '',
    requestBodyValues: {},
    ...(typeof status === 'number' ? { statusCode: status } : {}),
    data: { error: { code: body['code'], type: body['type'] } },
  })
}

import { APICallError, RetryError } from 'ai'
import { AgentEventError } from './agent-event-error.ts'
import { GraphWaitsError } from './graph-waits-error.ts'
import { GuardrailError } from './guardrail-error.ts'
import { MissingToolCallError } from './missing-tool-call-error.ts'
import { RemoteServiceError } from './remote-service-error.ts'

/**
 * Describes a failure for the person in front of the page: which side failed, and what to do. Response bodies and URLs of
 * providers are for the server's log only.
 */
export function describeFailure(error: unknown): string {
  if (RetryError.isInstance(error)) return describeFailure(error.lastError)
  if (error instanceof AgentEventError) return describeUnreadable(error.problem)
  if (error instanceof MissingToolCallError)
    return `The agent called the tool "${error.toolName}" without yielding its call first. What was said so far is kept.`
  if (error instanceof RemoteServiceError || error instanceof GraphWaitsError) return error.message
  if (error instanceof GuardrailError) return error.message
  if (isTimeout(error))
    return 'The model provider has sent nothing for too long. What it said so far is kept; try again.'
  if (!APICallError.isInstance(error)) {
    return 'The answer broke off because of an error. What was said so far is kept; try again.'
  }
  const { statusCode } = error
  if (statusCode === undefined || statusCode === 200) {
    return 'The connection to the model provider broke. What was said so far is kept; try again.'
  }
  if (statusCode === 401 || statusCode === 403) {
    return `The model provider refused the server's key (${statusCode}). Check the key in the server's settings.`
  }
  if (statusCode === 404) return 'The model provider does not know this model (404). Check THROUGHLINE_MODEL.'
  if (statusCode === 429)
    return 'The model provider is busy or its quota is used up (429). Try again in a while.'
  if (statusCode >= 500)
    return `The model provider has a problem of its own (${statusCode}). Try again in a while.`
  return `The model provider refused the request (${statusCode}).`
}

/** Describes something that an agent sent and that cannot go into the log. `problem` has types and fields, no values. */
export function describeUnreadable(problem: string): string {
  return `The agent sent something that cannot be shown: ${problem}. What was said before it is kept.`
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

import { serverSentence } from '@throughline/protocol/internal'
import { APICallError, RetryError } from 'ai'
import {
  AgentEventError,
  GraphWaitsError,
  GuardrailError,
  MissingToolCallError,
  RemoteServiceError,
} from './agent-errors.ts'

/**
 * Describes a failure for the person in front of the page: which side failed, and what to do. Response bodies and URLs of
 * providers are for the server's log only.
 */
export function describeFailure(error: unknown): string {
  if (RetryError.isInstance(error)) return describeFailure(error.lastError)
  if (error instanceof AgentEventError) return describeUnreadable(error.problem)
  if (error instanceof MissingToolCallError)
    return serverSentence('call-not-yielded', { tool: error.toolName })
  if (error instanceof RemoteServiceError || error instanceof GraphWaitsError) return error.message
  if (error instanceof GuardrailError) return error.message
  if (isTimeout(error)) return serverSentence('provider-silent')
  if (!APICallError.isInstance(error)) return serverSentence('broken')
  const { statusCode: status } = error
  if (status === undefined || status === 200) return serverSentence('provider-lost')
  if (status === 401 || status === 403) return serverSentence('provider-key', { status })
  if (status === 404) return serverSentence('provider-model')
  if (status === 429) return serverSentence('provider-busy')
  return serverSentence(status >= 500 ? 'provider-problem' : 'provider-refused', { status })
}

/** Describes something that an agent sent and that cannot go into the log. `problem` has types and fields, no values. */
export function describeUnreadable(problem: string): string {
  return serverSentence('unreadable', { problem })
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

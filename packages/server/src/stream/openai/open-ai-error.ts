import { sseTransport, type TransportBytes } from '../bytes/send-stream.ts'
/** An error in the form that OpenAI clients read, in the body of a response and in a stream. */
export interface OpenAiError {
  readonly error: {
    /** For people. */
    readonly message: string
    readonly type: 'invalid_request_error' | 'server_error'
    /** The field of the request that is wrong. This server never names one here: the message does. */
    readonly param: null
    /** For programs. */
    readonly code: string
  }
}

/** Returns the error for a request that is refused after its stream has begun. */
export function refusedBy({
  message,
  code,
}: {
  readonly message: string
  readonly code: string
}): OpenAiError {
  return { error: { message, type: 'server_error', param: null, code } }
}

/** Returns the error for an answer that failed. The client must not ask again by itself: the agent has acted already. */
export function agentFailed(message: string): OpenAiError {
  return { error: { message, type: 'server_error', param: null, code: 'agent_failed' } }
}

/**
 * Streams begin without `retry:`. OpenAI's client for Python takes it for an event, and fails because it has no data. These
 * clients do not connect again by themselves anyway.
 */
export const openAiTransport: TransportBytes = { ...sseTransport, opening: new Uint8Array() }

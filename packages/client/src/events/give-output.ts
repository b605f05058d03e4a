import type { ToolOutput } from '../chat/chat-api.ts'
import { type AskOptions, askJson } from '../http/ask-json.ts'

/** The output of a tool call that waits for it. */
export interface GivenToolOutput {
  readonly sessionId: string
  /** The `request_id` of the `output_request` event. */
  readonly requestId: string
  readonly output: ToolOutput
}

/**
 * Gives a tool call its output, or says why there is none. The same output may be sent again. Throws a `ChatError` when the
 * call has got another one, or does not wait any more, or the signal's reason.
 */
export async function giveOutput(given: GivenToolOutput, options: AskOptions = {}): Promise<void> {
  const { sessionId, requestId, output } = given
  const path = `/sessions/${encodeURIComponent(sessionId)}/outputs/${encodeURIComponent(requestId)}`
  await askJson(path, output, options)
}

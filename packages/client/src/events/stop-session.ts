import { type AskOptions, askJson } from '../http/ask-json.ts'

/**
 * Stops the answer that is being written in a session: the agent, its tools and its sub-agents. The text that is there
 * stays. Resolves when the answer has ended, or when there was none. Throws a `ChatError`, or the signal's reason.
 */
export async function stopSession(sessionId: string, options: AskOptions = {}): Promise<void> {
  await askJson(`/api/chat/${encodeURIComponent(sessionId)}/stop`, {}, options)
}

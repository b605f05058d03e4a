import { type AskOptions, askJson } from './ask-json.ts'

/**
 * Stops the answer that a session is being given: the agent, its tools and its sub-agents. What it has said stays.
 * Resolves when it has ended, also when there was nothing to stop. Throws a `ChatError`, or the signal's reason.
 */
export async function stopSession(sessionId: string, options: AskOptions = {}): Promise<void> {
  await askJson(`/api/chat/${encodeURIComponent(sessionId)}/stop`, {}, options)
}

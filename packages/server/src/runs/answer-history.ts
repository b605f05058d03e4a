import type { Limits } from '@throughline/agents'
import type { Message } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { giveFiles } from './give-files.ts'

/** How much of a chat an agent is given. */
export type HistoryLimits = Pick<Limits, 'maxHistoryMessages' | 'maxHistoryBytes'>

/**
 * Returns the messages that the agent of a run is given. They come from the store, never from the client: the branch
 * that the user's message is on, without the messages of sub-agents. If the branch is longer than the limits, its oldest
 * messages are left out. The user's files have their contents in them.
 */
export async function answerHistory(
  store: Pick<Store, 'messages' | 'files'>,
  run: Run,
  { maxHistoryMessages, maxHistoryBytes }: HistoryLimits,
): Promise<readonly Message[]> {
  const { messages, hasOlder } = await store.messages.branch(run, run.userMessageId, {
    // The message that is answered comes on top of the earlier ones.
    maxMessages: maxHistoryMessages + 1,
    maxBytes: maxHistoryBytes,
  })
  return giveFiles(store, run, hasOlder ? fromFirstQuestion(messages) : messages)
}

/**
 * Some models refuse a conversation that begins with an answer. A message is given whole or not at all, so a tool call
 * always has its result with it.
 */
function fromFirstQuestion(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findIndex(({ role }) => role === 'user'))
}

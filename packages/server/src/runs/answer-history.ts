import { branchUpTo } from '@throughline/protocol/branches'
import type { Message } from '@throughline/protocol/message'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'

/**
 * Returns the messages that the agent of a run is given. They come from the store, never from the client: the branch
 * that the user's message is on, without the messages of sub-agents.
 */
export async function answerHistory(
  { messages }: Pick<Store, 'messages'>,
  run: Run,
): Promise<readonly Message[]> {
  const saved = await messages.load(run)
  const all = (saved?.messages ?? []).map(({ message }) => message)
  return branchUpTo(all, run.userMessageId).filter(({ metadata }) => metadata?.agent?.kind !== 'sub')
}

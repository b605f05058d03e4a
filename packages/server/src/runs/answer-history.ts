import { branchUpTo } from '@throughline/protocol/branches'
import type { Message } from '@throughline/protocol/message'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import { giveFiles } from './give-files.ts'

/**
 * Returns the messages that the agent of a run is given. They come from the store, never from the client: the branch
 * that the user's message is on, without the messages of sub-agents. The user's files have their contents in them.
 */
export async function answerHistory(
  store: Pick<Store, 'messages' | 'files'>,
  run: Run,
): Promise<readonly Message[]> {
  const saved = await store.messages.load(run)
  const all = (saved?.messages ?? []).map(({ message }) => message)
  const branch = branchUpTo(all, run.userMessageId).filter(({ metadata }) => metadata?.agent?.kind !== 'sub')
  return giveFiles(store, run, branch)
}

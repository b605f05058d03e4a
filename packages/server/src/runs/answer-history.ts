import { branchUpTo, type Message } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
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

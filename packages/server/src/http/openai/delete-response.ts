import { type Message, rootsOf } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { planDelete } from '../../changes/plan-delete.ts'
import { turnOf } from '../../changes/turn.ts'
import { loadHistory } from '../../history.ts'
import { removeChat } from '../../remove-chat.ts'
import type { Services } from '../context.ts'
import { responseNotFound } from './open-ai-problem.ts'

/**
 * Deletes a response: its question and its answer. If the question has other answers too, it stays. A chat in which
 * nothing else was asked goes with the response: most responses have a chat of their own. An answer that is being written
 * is stopped first.
 */
export async function deleteResponse(services: Services, run: Run): Promise<void> {
  const { runner, store } = services
  await runner.stop(run, run.id)
  const history = await loadHistory(store, run)
  if (history === undefined) throw responseNotFound(run.id)
  const deleted = hasOtherAnswers(history.messages, run) ? run.answerId : run.userMessageId
  const ids = new Set(turnOf(history.messages, deleted)?.messageIds)
  if (history.messages.every(message => ids.has(message.id) || isOnlyGiven(message))) {
    await removeChat(services, run)
    return
  }
  await runner.change(run, messages => {
    const planned = planDelete(messages, deleted)
    if (planned === undefined) throw responseNotFound(run.id)
    return planned
  })
}

function hasOtherAnswers(messages: readonly Message[], { userMessageId, answerId }: Run): boolean {
  const turn = turnOf(messages, userMessageId)
  const roots = rootsOf(messages)
  return [...(turn?.own ?? [])].some(id => id !== userMessageId && id !== answerId && !roots.has(id))
}

/** Returns whether a message only came with a request, as what was said before: nobody here wrote it or was asked it. */
function isOnlyGiven({ role, metadata }: Message): boolean {
  return (role === 'user' ? metadata?.receiverName : metadata?.agent) === undefined
}

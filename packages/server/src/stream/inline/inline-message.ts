import { type Entry, emptyChat, findMessage, fold, type Message, messageOf } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { isOfRun, isRunEnd } from '../run-entries.ts'
import { InlineProjection } from './inline-projection.ts'

/**
 * Returns a run's answer with its sub-agents' parts in it: the message that a reader of the inline form has after these
 * entries. `undefined` when the answer has not begun in them.
 *
 * It needs the entries, not the saved messages: only the log knows in which order the agents wrote their parts.
 */
export async function inlineMessage(
  run: Pick<Run, 'id' | 'answerId' | 'kind'>,
  pages: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>,
): Promise<Message | undefined> {
  const projection = new InlineProjection(run)
  let chat = emptyChat()
  for await (const page of pages) {
    for (const entry of page.filter(each => isOfRun(each, run))) {
      for (const chunk of projection.write(entry))
        chat = fold(chat, { seq: chat.seq + 1, runId: run.id, messageId: run.answerId, chunk })
    }
    if (page.some(entry => isRunEnd(entry, run))) break
  }
  const record = findMessage(chat, run.answerId)
  return record && messageOf(record)
}

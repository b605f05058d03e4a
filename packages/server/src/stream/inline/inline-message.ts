import { emptyChat, findMessage, messageOf } from '@throughline/protocol/chat-state'
import type { Entry } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import type { Message } from '@throughline/protocol/message'
import type { Run } from '@throughline/store/runs'
import { isOfRun, isRunEnd } from '../chunks/encode.ts'
import { inlineChunks } from './inline-form.ts'

/**
 * A run's answer with its sub-agents' parts among its own: what a reader of the inline form has after these entries.
 * `undefined` when the answer has not begun in them. Messages alone would not do: only the log knows who spoke when.
 */
export async function inlineMessage(
  run: Pick<Run, 'id' | 'answerId' | 'kind'>,
  pages: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>,
): Promise<Message | undefined> {
  const chunksOf = inlineChunks(run)
  let chat = emptyChat()
  for await (const page of pages) {
    for (const entry of page.filter(each => isOfRun(each, run))) {
      for (const chunk of chunksOf(entry))
        chat = fold(chat, { seq: chat.seq + 1, runId: run.id, messageId: run.answerId, chunk })
    }
    if (page.some(entry => isRunEnd(entry, run))) break
  }
  const record = findMessage(chat, run.answerId)
  return record && messageOf(record)
}

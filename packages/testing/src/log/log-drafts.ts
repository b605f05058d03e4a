import { type LogName, logName } from '@throughline/log'
import { type Chunk, type EntryDraft, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import { idOf } from './id-of.ts'

/** Returns a draft of a chunk: by default in the run `run` and the message `answer`. */
export function draftOf(chunk: Chunk, messageId = 'answer'): EntryDraft {
  return { runId: idOf(isRunId, 'run'), messageId: idOf(isMessageId, messageId), chunk }
}

export function textDraft(delta: string, options: { messageId?: string; id?: string } = {}): EntryDraft {
  return draftOf({ type: 'text-delta', id: options.id ?? 'text', delta }, options.messageId)
}

export const endDraft: EntryDraft = draftOf({ type: 'finish' })

export function testLog(chatId: string, ownerId = 'ada'): LogName {
  return logName({ ownerId: idOf(isOwnerId, ownerId), chatId: idOf(isChatId, chatId) })
}

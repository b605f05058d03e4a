import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { type ChatKey, type Chunk, isChatId, isOwnerId } from '@throughline/protocol'
import { idOf } from '../log/id-of.ts'
import { openTestStore } from './open-test-store.ts'
import { startOf, testRun } from './store-rows.ts'

/** The chat of this id, of the user of a server without accounts. */
export function localChat(chatId: string): ChatKey {
  return { ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, chatId) }
}

/**
 * Leaves a data folder as a process does that is killed while it answers in each of these chats. Each log has a user
 * message `CHAT-question` (entry 1), and the beginning of an answer `run-CHAT-answer` with the text "One. Two. Three."
 * (entries 2 to 6).
 */
export async function leaveRuns(folder: string, chatIds: readonly string[]): Promise<void> {
  const store = await openTestStore(folder)
  for (const chatId of chatIds) {
    const chat = localChat(chatId)
    const run = testRun(`run-${chatId}`, { ...chat, userMessageId: `${chatId}-question` })
    const start = startOf(run)
    await store.runs.claim(run, start)
    const question: Chunk = {
      type: 'data-message',
      id: run.userMessageId,
      data: start.userMessage.message,
      transient: true,
    }
    const answer: readonly Chunk[] = [
      {
        type: 'start',
        messageId: run.answerId,
        messageMetadata: { status: 'streaming', senderName: 'The assistant' },
      },
      { type: 'text-start', id: 'text-1' },
      ...['One. ', 'Two. ', 'Three.'].map(delta => ({ type: 'text-delta', id: 'text-1', delta }) as const),
    ]
    const lease = await store.log.acquire(logName(chat))
    const drafts = [
      { runId: run.id, messageId: run.userMessageId, chunk: question },
      ...answer.map(chunk => ({ runId: run.id, messageId: run.answerId, chunk })),
    ]
    for (const [after, draft] of drafts.entries()) await store.log.append(lease, after, [draft])
  }
  await store.close()
}

/** Runs SQL on the database of a data folder that no process has open, as a fault of the disk would change it. */
export function damageStore(folder: string, sql: string): void {
  const database = new DatabaseSync(`${folder}/throughline.sqlite`, { enableForeignKeyConstraints: false })
  database.exec(sql)
  database.close()
}

/**
 * SQL that moves the entries of all logs out of the tail, as the store does by itself after a while. For logs whose
 * appends had one entry each.
 */
export const moveEntries = `
  insert into log_entries (epoch, seq, at, crc, run_id, message_id, chunk)
    select epoch, seq, at, crc, substr(rest, 1, instr(rest, ' ') - 1),
      substr(rest, instr(rest, ' ') + 1, instr(substr(rest, instr(rest, ' ') + 1), ' ') - 1),
      substr(rest, instr(rest, ' {') + 1)
    from (select epoch, seq, at, cast(substr(body, 1, instr(body, ' ') - 1) as integer) as crc,
      substr(body, instr(body, ' ') + 1) as rest from log_tail);
  update logs set seq = (select max(seq) from log_entries where log_entries.epoch = logs.epoch);
  delete from log_tail;`

import { type Batch, type BatchOptions, batchDeltas } from '@throughline/log/batch-deltas'
import { type LogStore, logName } from '@throughline/log/log-store'
import { readBetween } from '@throughline/log/read-between'
import { type ChatState, chatFrom } from '@throughline/protocol/chat-state'
import type { EntryDraft } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import type { Run } from '@throughline/store/runs'
import { appendReadable } from './append-readable.ts'

/** A run's own end of the log: what it writes is batched, committed, and folded as every reader will fold it. */
export interface RunLog extends Batch {
  readonly epoch: string
  /** The run's messages as far as they are in the log. */
  readonly chat: ChatState
}

/** Takes the chat's log over for a run, and folds what the log has of this run already. */
export async function openRunLog(log: LogStore, run: Run, batching?: BatchOptions): Promise<RunLog> {
  const name = logName(run)
  const lease = await log.acquire(name)
  const { epoch } = lease.head
  // The log may have been removed and made anew since the run was claimed.
  const after = { epoch, seq: Math.min(run.afterSeq, lease.head.seq) }
  let chat = chatFrom([], after.seq)

  for await (const page of readBetween(log, name, { after, upTo: lease.head.seq })) {
    // Where a run begins is known roughly: entries before it may be another run's.
    for (const entry of page) chat = entry.runId === run.id ? fold(chat, entry) : { ...chat, seq: entry.seq }
  }

  // Folded first: what cannot be folded must not get into the log, where it would stop every reader. The lease
  // makes us the only writer, so the numbers are known beforehand.
  async function append(drafts: readonly EntryDraft[]): Promise<void> {
    const next = drafts.reduce((folded, draft) => fold(folded, { ...draft, seq: folded.seq + 1 }), chat)
    await log.append(lease, drafts)
    chat = next
  }
  const batch = batchDeltas(drafts => appendReadable(append, drafts), batching)
  return {
    epoch,
    get chat() {
      return chat
    },
    emit: draft => batch.emit(draft),
    flush: () => batch.flush(),
  }
}

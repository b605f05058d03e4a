import {
  type Batch,
  type BatchOptions,
  batchDeltas,
  type LogStore,
  logName,
  readBetween,
} from '@throughline/log'
import { type ChatState, chatFrom, type EntryDraft, fold } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { appendReadable } from './append-readable.ts'

/** What a run writes with. Its drafts are batched, committed, and folded as every reader will fold them. */
export interface RunLog extends Batch {
  readonly epoch: string
  /** The messages of the run, as far as they are in the log. */
  readonly chat: ChatState
  /** Says that nothing more is written. */
  release(): void
}

/** Takes the lease of the chat's log for a run, and folds the entries that the log already has of this run. */
export async function openRunLog(log: LogStore, run: Run, batching?: BatchOptions): Promise<RunLog> {
  const name = logName(run)
  const lease = await log.acquire(name)
  const { epoch } = lease.head
  // The log may have been removed and made again since the run was claimed.
  const after = { epoch, seq: Math.min(run.afterSeq, lease.head.seq) }
  let chat = chatFrom([], after.seq)

  for await (const page of readBetween(log, name, { after, upTo: lease.head.seq })) {
    // `afterSeq` is not exact: the first entries after it may be of the run before.
    for (const entry of page) chat = entry.runId === run.id ? fold(chat, entry) : { ...chat, seq: entry.seq }
  }

  // The drafts are folded before they are written. A draft that cannot be folded would stop every reader of the log.
  // The lease makes this run the only writer, so the numbers of the entries are known in advance.
  async function append(drafts: readonly EntryDraft[]): Promise<void> {
    const next = drafts.reduce((folded, draft) => fold(folded, { ...draft, seq: folded.seq + 1 }), chat)
    await log.append(lease, chat.seq, drafts)
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
    release: () => log.release(lease),
  }
}

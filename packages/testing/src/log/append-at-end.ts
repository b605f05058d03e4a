import type { Lease, LogStore } from '@throughline/log'
import type { Entry, EntryDraft } from '@throughline/protocol'

/** Appends drafts wherever the log ends, for tests in which the numbers do not matter. */
export async function appendAtEnd(
  store: LogStore,
  lease: Lease,
  drafts: readonly EntryDraft[],
): Promise<readonly Entry[]> {
  const { seq } = await store.open(lease.log)
  return store.append(lease, seq, drafts)
}

import { type Lease, logName, readBetween } from '@throughline/log'
import { type ChatState, chatFrom, type EntryDraft, fold, type MessageRecord } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import type { MessageChanges, MessageOutline, Run, Store } from '@throughline/store'
import type { PlanChange } from './plans.ts'

type ChangeStore = Pick<Store, 'log' | 'messages' | 'runs'>

/** Writes a change to the log, where everybody sees it. The run has claimed the chat, so nobody else writes. */
export async function writeChange({ log, messages }: ChangeStore, run: Run, plan: PlanChange): Promise<void> {
  const lease: Lease = await log.acquire(logName(run))
  const outline = await messages.outline(run)
  const drafts: readonly EntryDraft[] = plan(outline).map(planned => ({ runId: run.id, ...planned }))
  // The drafts are folded before they are written. A draft that cannot be folded would stop every reader of the log.
  drafts.reduce((chat, draft) => fold(chat, { ...draft, seq: chat.seq + 1 }), outlineState(outline, 0))
  if (drafts.length > 0) await log.append(lease, lease.head.seq, drafts)
}

/**
 * Saves in the rows what a change has written to the log. Compares the rows with the result of the fold, which every
 * page uses too. Also ends a change that another process did not finish, even if it wrote nothing to the log.
 */
export async function saveChange(
  { log, messages, runs }: ChangeStore,
  run: Run,
  at: string,
): Promise<boolean> {
  const name = logName(run)
  // Takes over the lease. If another process still writes this change, its next append fails.
  const { head } = await log.acquire(name)
  const outline = await messages.outline(run)
  const places = await messages.places(run)
  const after = { epoch: head.epoch, seq: Math.min(run.afterSeq, head.seq) }
  let chat = outlineState(outline, after.seq)
  for await (const page of readBetween(log, name, { after, upTo: head.seq })) {
    for (const entry of page) chat = entry.runId === run.id ? fold(chat, entry) : { ...chat, seq: entry.seq }
  }
  const changes = changesBetween(outline, chat, places)
  return runs.end(run, { status: 'finished', at, seq: chat.seq, messages: [], changes })
}

/** Returns the state of a chat without the parts of its messages. No change is about parts. */
function outlineState(outline: readonly MessageOutline[], seq: number): ChatState {
  return chatFrom(
    outline.map(message => ({ ...message, parts: [] })),
    seq,
  )
}

/**
 * Returns how the rows have to change. The set of places stays the same, but a message may have another of these
 * places.
 */
function changesBetween(
  before: readonly MessageOutline[],
  chat: ChatState,
  places: ReadonlyMap<string, number>,
): MessageChanges {
  const records = keyedToArray(chat.messages)
  const left = new Map<string, MessageRecord>(records.map(record => [record.id, record]))
  const seqs = records.flatMap(({ id }) => places.get(id) ?? []).toSorted((one, other) => one - other)
  const placed = records.filter(({ id }) => places.has(id))
  return {
    removed: before.map(({ id }) => id).filter(id => !left.has(id)),
    places: new Map(
      placed.flatMap(({ id }, index) => {
        const seq = seqs[index]
        return seq === undefined || seq === places.get(id) ? [] : [[id, seq]]
      }),
    ),
    metadata: new Map(
      before.flatMap(({ id, metadata }) => {
        const said = left.get(id)?.metadata
        return said === undefined || said === metadata ? [] : [[id, said]]
      }),
    ),
  }
}

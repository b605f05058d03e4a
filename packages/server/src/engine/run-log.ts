import {
  type Batch,
  type BatchOptions,
  batchDeltas,
  LogError,
  type LogStore,
  logName,
  readBetween,
} from '@throughline/log'
import {
  type ChatState,
  chatFrom,
  chunkProblem,
  type Entry,
  type EntryDraft,
  FoldError,
  fold,
  isEndChunk,
  type MessageId,
  type Position,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'

/** What a run writes with. Its drafts are batched, committed, and folded as every reader will fold them. */
export interface RunLog extends Batch {
  readonly epoch: string
  /** The messages of the run, as far as they are in the log. */
  readonly chat: ChatState
  /** The messages of the run whose end is in the log. Their metadata may say so a little earlier. */
  readonly ended: ReadonlySet<MessageId>
  /** Says that nothing more is written. */
  release(): void
}

/** Reads the entries that the log already has of a run, up to `head`, and folds them. */
type ReadLog = (log: LogStore, run: Run, options: ReadLogOptions) => Promise<ChatState>

/** What reading a log needs. */
export interface ReadLogOptions {
  readonly head: Position
  readonly foldEntry: (chat: ChatState, entry: Entry) => ChatState
}

/** The options of `openRunLog`. */
export interface RunLogOptions {
  readonly batching?: BatchOptions | undefined
  /** Default: all entries of the run. Throws when one of them is damaged. */
  readonly readLog?: ReadLog
  /** Called for each entry that the log already has of this run. */
  readonly onEntry?: ((entry: Entry) => void) | undefined
}

/** Takes the lease of the chat's log for a run, and folds the entries that the log already has of this run. */
export async function openRunLog(
  log: LogStore,
  run: Run,
  { batching, readLog = readWhole, onEntry }: RunLogOptions = {},
): Promise<RunLog> {
  const lease = await log.acquire(logName(run))
  const { epoch } = lease.head
  const ended = new Set<MessageId>()
  const note = ({ messageId, chunk }: EntryDraft) => isEndChunk(chunk) && ended.add(messageId)
  const foldEntry = (folded: ChatState, entry: Entry) => {
    note(entry)
    onEntry?.(entry)
    return fold(folded, entry)
  }
  let chat = await readLog(log, run, { head: lease.head, foldEntry })

  // The drafts are folded before they are written. A draft that cannot be folded would stop every reader of the log.
  // The lease makes this run the only writer, so the numbers of the entries are known in advance.
  async function append(drafts: readonly EntryDraft[]): Promise<void> {
    const next = drafts.reduce((folded, draft) => fold(folded, { ...draft, seq: folded.seq + 1 }), chat)
    await log.append(lease, chat.seq, drafts)
    chat = next
    drafts.forEach(note)
  }
  const batch = batchDeltas(drafts => appendReadable(append, drafts), batching)
  return {
    epoch,
    get chat() {
      return chat
    },
    ended,
    emit: draft => batch.emit(draft),
    flush: () => batch.flush(),
    release: () => log.release(lease),
  }
}

async function readWhole(log: LogStore, run: Run, { head, foldEntry }: ReadLogOptions): Promise<ChatState> {
  const { epoch, seq: upTo } = head
  // The log may have been removed and made again since the run was claimed.
  const after = { epoch, seq: Math.min(run.afterSeq, upTo) }
  let chat = chatFrom([], after.seq)
  for await (const page of readBetween(log, logName(run), { after, upTo })) {
    // `afterSeq` is not exact: the first entries after it may be of the run before.
    for (const entry of page)
      chat = entry.runId === run.id ? foldEntry(chat, entry) : { ...chat, seq: entry.seq }
  }
  return chat
}

/** Thrown for a chunk that no reader could read. Everything before it is in the log. */
export class RefusedChunkError extends Error {
  override readonly name = 'RefusedChunkError'
  readonly code = 'refused-chunk'
  /** What is wrong, in words for people. Names types and fields, never contents. */
  readonly problem: string

  constructor({ messageId, chunk }: EntryDraft, cause: unknown) {
    const problem = problemOf({ chunk }, cause)
    super(`Message ${messageId}: ${problem}. Ensure that only valid chunks are written.`, { cause })
    this.problem = problem
  }
}

/**
 * Appends drafts to the log, all at once. If one of them cannot be read, appends those before it, and throws a
 * `RefusedChunkError`. Errors of the log itself are thrown as they are.
 */
async function appendReadable(
  append: (drafts: readonly EntryDraft[]) => Promise<void>,
  drafts: readonly EntryDraft[],
): Promise<void> {
  try {
    await append(drafts)
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Nothing was written. The drafts are appended one by one, and the first one that fails is the bad one.
    for (const draft of drafts) await appendOne(append, draft)
  }
}

async function appendOne(
  append: (drafts: readonly EntryDraft[]) => Promise<void>,
  draft: EntryDraft,
): Promise<void> {
  try {
    await append([draft])
  } catch (error) {
    throw isRefusal(error) ? new RefusedChunkError(draft, error) : error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FoldError || (error instanceof LogError && error.code === 'invalid-chunk')
}

function problemOf({ chunk }: Pick<EntryDraft, 'chunk'>, cause: unknown): string {
  if (cause instanceof FoldError) return `a ${chunk.type} chunk came for what is not open`
  return chunkProblem(chunk) ?? `a ${chunk.type} chunk must be JSON`
}

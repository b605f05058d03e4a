import { type LogStore, logName } from '@throughline/log'
import {
  type ChatState,
  chatFrom,
  createId,
  type Entry,
  findMessage,
  isMessageId,
  isRunId,
  type Message,
  messageOf,
  type Position,
} from '@throughline/protocol'
import { keyedToArray, serverSentence } from '@throughline/protocol/internal'
import { type DamagedRun, hasAnswer, type Run, type RunEnd } from '@throughline/store'
import { beginAnswer } from '../engine/begin-answer.ts'
import { endAnswer, outcomeOf } from '../engine/end-run.ts'
import { openRunLog, type ReadLogOptions, type RunLog } from '../engine/run-log.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { isDamage } from '../refusals/store-problem.ts'
import { whoAnswers } from '../who/person.ts'

/** What setting a run aside needs. */
export type SetAsideOptions = Pick<RunnerOptions, 'store' | 'agents' | 'now' | 'logger'>

interface LeftRun {
  readonly run: Run
  /** False when the entries in the log have another run id than the run. */
  readonly isIdKnown: boolean
  /** Saves the end of the run. */
  readonly end: (end: RunEnd) => Promise<unknown>
}

/**
 * Ends a run whose log or messages are damaged. Keeps what its answer shows up to the damage, and the answer says that
 * the rest could not be read. The server's log names the run, the damage and what to do.
 */
export async function setAsideRun(options: SetAsideOptions, run: Run, error: unknown): Promise<void> {
  const end = (saved: RunEnd) => options.store.runs.end(run, saved)
  await endAside(options, { run, isIdKnown: true, end })
  report(options, { runId: run.id, chatId: run.chatId }, error)
}

/** The same for a run whose row is damaged. If the row does not name a chat, only the row gets its end. */
export async function setAsideDamaged(options: SetAsideOptions, damaged: DamagedRun): Promise<void> {
  const { store, now } = options
  const at = now().toISOString()
  const end = (saved: RunEnd) => store.runs.endDamaged(damaged, saved)
  const { chat, savedSeq } = damaged
  if (chat === undefined) await end({ status: 'interrupted', at, seq: savedSeq, messages: [] })
  else {
    const run: Run = {
      ...chat,
      id: damaged.id ?? createId(isRunId, 'run'),
      agent: damaged.agent,
      userMessageId: damaged.userMessageId ?? createId(isMessageId, 'msg'),
      answerId: damaged.answerId ?? createId(isMessageId, 'msg'),
      afterSeq: savedSeq,
      startedAt: at,
      status: 'running',
      kind: 'answer',
    }
    await endAside(options, { run, isIdKnown: false, end })
  }
  report(options, damaged.named, new Error('The row of the run is damaged.'))
}

async function endAside(options: SetAsideOptions, left: LeftRun): Promise<void> {
  const at = options.now().toISOString()
  try {
    await left.end({ status: 'interrupted', at, ...(await salvage(options, left)) })
  } catch (error) {
    if (!isDamage(error)) throw error
    // The log or the messages cannot be written either. The run still gets its end, so that the server does not try
    // again at every start.
    await left.end({ status: 'interrupted', at, seq: left.run.afterSeq, messages: [] })
  }
}

/** Ends in the log what the log shows of a run, and returns what is to be saved. */
async function salvage(
  { store, agents }: SetAsideOptions,
  { run, isIdKnown }: LeftRun,
): Promise<Pick<RunEnd, 'seq' | 'messages'>> {
  if (run.kind === 'change') return { seq: (await store.log.acquire(logName(run))).head.seq, messages: [] }
  const runLog = await openRunLog(store.log, run, { readLog: readUntilDamage({ isIdKnown }) })
  const userMessage = await readableQuestion(store, run, runLog)
  await beginAnswer(runLog, {
    // Without a question there is only the answer to write.
    run: userMessage === undefined ? { ...run, kind: 'follow-up' } : run,
    // When the row does not name the answer, the log may still have it.
    agent: hasAnswer(run) && !hasBegun(runLog) ? whoAnswers(agents, run) : undefined,
    userMessage: userMessage ?? { id: run.userMessageId, role: 'user', parts: [] },
  })
  await runLog.flush()
  await endAnswer(run, runLog, { status: 'interrupted', text: serverSentence('data-damaged') })
  return outcomeOf(run, runLog)
}

function hasBegun({ chat }: RunLog): boolean {
  return keyedToArray(chat.messages).some(({ role }) => role === 'assistant')
}

/** Returns the message that a run answers, from its row or from the log; `undefined` when neither can be read. */
async function readableQuestion(
  { messages }: SetAsideOptions['store'],
  run: Run,
  { chat }: RunLog,
): Promise<Message | undefined> {
  const record = findMessage(chat, run.userMessageId)
  if (record !== undefined) return messageOf(record)
  return messages.find(run, run.userMessageId).catch(error => {
    if (isDamage(error)) return undefined
    throw error
  })
}

function report(
  { logger, store }: SetAsideOptions,
  named: { readonly runId: string; readonly chatId: string },
  error: unknown,
): void {
  logger.error(
    { ...named, err: error },
    `an unfinished run is damaged and was set aside: its answer ends at the damage. To get the rest back, ${store.isShared ? 'stop all servers and restore the database' : 'stop the server and restore the data folder'} from a backup`,
  )
}

const pageSize = 512

/**
 * Folds the entries of a run up to the first one that is damaged. The state has the number of the log's last entry, so
 * that the run can go on behind the damage. Entries after the damage are left out: nobody knows what they belong to.
 *
 * Folds the entries of other runs too when `run.id` is not the id that the entries have. All entries after `afterSeq`
 * must then belong to this run.
 */
function readUntilDamage({ isIdKnown }: { readonly isIdKnown: boolean }) {
  return async (log: LogStore, run: Run, { head, foldEntry }: ReadLogOptions): Promise<ChatState> => {
    let chat = chatFrom([], Math.min(run.afterSeq, head.seq))
    try {
      for await (const entry of wholeEntries(log, run, { ...head, seq: chat.seq })) {
        chat = !isIdKnown || entry.runId === run.id ? foldEntry(chat, entry) : { ...chat, seq: entry.seq }
      }
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    return { ...chat, seq: head.seq }
  }
}

/** Yields the entries after a position, and throws at the first one that is damaged. */
async function* wholeEntries(log: LogStore, run: Run, after: Position): AsyncGenerator<Entry> {
  // A page with a damaged entry cannot be read at all. Smaller pages lead to the last entry before it.
  for (let { seq } = after, limit = pageSize; ; ) {
    try {
      const page = await log.read(logName(run), { ...after, seq }, limit)
      yield* page
      if (page.length === 0) return
      seq += page.length
    } catch (error) {
      if (limit === 1 || !isDamage(error)) throw error
      limit = Math.ceil(limit / 4)
    }
  }
}

import { logName } from '@throughline/log'
import { type ChatKey, createId, type EndStatus, isMessageId, isRunId } from '@throughline/protocol'
import { inTime, type Run, SqlError, type Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { goesOnLater } from '../engine/answer-run.ts'
import { untilSaved } from '../engine/until-saved.ts'
import { busy, notWritten, shuttingDown } from '../refusals/run-refusals.ts'
import { isDamage } from '../refusals/store-problem.ts'
import { waitIfEnding } from '../stopping/wait-if-ending.ts'
import type { PlanChange } from './plans.ts'
import { saveChange, writeChange } from './write-change.ts'

/** What changing a chat needs. */
export interface ChangeOptions {
  readonly store: Store
  readonly now: () => Date
  readonly logger: Logger
  readonly active: ActiveRuns
}

/**
 * Changes messages that a chat has. Resolves when the change is saved; with false when there is no such chat. Throws
 * while an answer is being written.
 */
export async function changeChat(options: ChangeOptions, chat: ChatKey, plan: PlanChange): Promise<boolean> {
  for (;;) {
    if (options.active.isClosing) throw shuttingDown()
    const claim = await claimChange(options, chat)
    if (claim.type === 'no-chat') return false
    if (claim.type === 'claimed') {
      await write(options, claim.run, plan)
      return true
    }
    // The other run has ended in the meantime.
    if (claim.activeRun === undefined) continue
    const active = options.active.of(chat)
    if (active === undefined && (await waitIfEnding(options.store, claim.activeRun))) continue
    if (active?.isAnswered !== true) throw busy(claim.activeRun)
    await active.ended
  }
}

/**
 * Writes a change to the log and saves it. If writing fails, the run is saved as well, so that the chat is free again.
 * Submissions that come meanwhile wait for the end of this run.
 */
async function write(options: ChangeOptions, run: Run, plan: PlanChange): Promise<void> {
  const { store, logger, active } = options
  const written = writeChange(store, run, plan)
  const isClosing = () => active.isClosing
  const ended = written
    .catch(() => undefined)
    .then(() => untilSaved(() => saveOrDrop(options, run), { runId: run.id, logger, isClosing }))
  active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  const status = await inTime(ended, savedLate)
  await written.catch(error => {
    if (!goesOnLater(error, { store, stopped: undefined })) throw error
    // Only this request knows the change, so nobody goes on with it.
    throw active.isClosing ? shuttingDown() : notWritten()
  })
  if (status !== 'interrupted') return
  throw new SqlError('damaged', `Chat ${run.chatId} could not be changed: its data is damaged.`)
}

/** The error for a request whose time is over. The change is saved when the database is back. */
function savedLate(): SqlError {
  return new SqlError('unconfirmed', 'A change of a chat was not saved in time.')
}

/** Saves a change. If the data of the chat is damaged, ends the run without it, so that the chat is free again. */
async function saveOrDrop({ store, now, logger }: ChangeOptions, run: Run): Promise<EndStatus> {
  const at = now().toISOString()
  try {
    await saveChange(store, run, at)
    return 'finished'
  } catch (error) {
    if (!isDamage(error)) throw error
    logger.error({ runId: run.id, chatId: run.chatId, err: error }, 'a change could not be saved')
    await store.runs.end(run, { status: 'interrupted', at, seq: run.afterSeq, messages: [] })
    return 'interrupted'
  }
}

/** Whether a change may begin. `busy`: the chat has a run. `no-chat`: there is no such chat. */
type ChangeClaim =
  | { readonly type: 'claimed'; readonly run: Run }
  | { readonly type: 'busy'; readonly activeRun: Run | undefined }
  | { readonly type: 'no-chat' }

/**
 * Claims a chat for a change, as a run without an answer. While this run goes on, nobody else can write to the chat.
 */
async function claimChange(
  { store, now }: { readonly store: Pick<Store, 'log' | 'runs' | 'chats'>; readonly now: () => Date },
  chat: ChatKey,
): Promise<ChangeClaim> {
  const record = await store.chats.get(chat)
  if (record === undefined) return { type: 'no-chat' }
  const { seq: afterSeq } = await store.log.open(logName(chat))
  // The change has no message of its own, but every run needs two ids that no other run has.
  const id = createId(isMessageId, 'change')
  const run: Run = {
    id: createId(isRunId, 'run'),
    ownerId: chat.ownerId,
    chatId: chat.chatId,
    agent: '',
    userMessageId: id,
    answerId: id,
    afterSeq,
    startedAt: now().toISOString(),
    status: 'running',
    kind: 'change',
  }
  if (await store.runs.claim(run, { chat: record, userMessage: undefined })) return { type: 'claimed', run }
  return { type: 'busy', activeRun: await store.runs.active(chat) }
}

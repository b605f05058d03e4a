import type { ChatKey, EndStatus } from '@throughline/protocol'
import { type Run, SqlError, type Store } from '@throughline/store'
import type { Logger } from 'pino'
import { claimChange } from '../changes/claim-change.ts'
import type { PlanChange } from '../changes/planned.ts'
import { saveChange, writeChange } from '../changes/write-change.ts'
import type { ActiveRuns } from './active-runs.ts'
import { isDamage } from './is-damage.ts'
import { isOverSoon } from './is-over-soon.ts'
import { busy, shuttingDown } from './run-refusals.ts'
import { untilSaved } from './until-saved.ts'

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
    if (active === undefined && (await isOverSoon(options.store, claim.activeRun))) continue
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
  const status = await ended
  await written
  if (status !== 'interrupted') return
  throw new SqlError('damaged', `Chat ${run.chatId} could not be changed: its data is damaged.`)
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

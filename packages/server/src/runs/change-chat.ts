import type { ChatKey } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import { claimChange } from '../changes/claim-change.ts'
import type { PlanChange } from '../changes/planned.ts'
import { saveChange, writeChange } from '../changes/write-change.ts'
import type { ActiveRuns } from './active-runs.ts'
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
    if (active === undefined && (await isOverSoon(claim.activeRun))) continue
    if (active?.isAnswered !== true) throw busy(claim.activeRun)
    await active.ended
  }
}

/**
 * Writes a change to the log and saves it. If writing fails, the run is saved as well, so that the chat is free again.
 * Submissions that come meanwhile wait for the end of this run.
 */
async function write(options: ChangeOptions, run: Run, plan: PlanChange): Promise<void> {
  const { store, now, logger, active } = options
  const written = writeChange(store, run, plan)
  const save = () => saveChange(store, run, now().toISOString())
  const isClosing = () => active.isClosing
  const ended = written
    .catch(() => undefined)
    .then(() => untilSaved(save, { runId: run.id, logger, isClosing }))
  active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  await ended
  return written
}

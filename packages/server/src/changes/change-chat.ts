import type { ChatKey } from '@throughline/protocol/ids'
import { hasAnswer, type Run } from '@throughline/store/runs'
import { chatNotFound } from '../http/problems.ts'
import type { ActiveRuns } from '../runs/active-runs.ts'
import { busy, shuttingDown } from '../runs/run-refusals.ts'
import type { RunnerOptions } from '../runs/runner.ts'
import { untilSaved } from '../runs/until-saved.ts'
import { claimChange } from './claim-change.ts'
import type { PlanChange } from './planned.ts'
import { saveChange, writeChange } from './write-change.ts'

export interface ChangeOptions extends Pick<RunnerOptions, 'store' | 'now' | 'logger'> {
  readonly active: ActiveRuns
  readonly isClosing: () => boolean
}

/** Changes messages that are there. Resolves when the change is saved. Refused while an answer is being made. */
export async function changeChat(options: ChangeOptions, chat: ChatKey, plan: PlanChange): Promise<void> {
  for (;;) {
    if (options.isClosing()) throw shuttingDown()
    const claim = await claimChange(options, chat)
    if (claim.type === 'no-chat') throw chatNotFound(chat.chatId)
    if (claim.type === 'claimed') return write(options, claim.run, plan)
    // The run that was in the way has ended since.
    if (claim.activeRun === undefined) continue
    const active = options.active.of(chat)
    if (active === undefined && (await isOverSoon(claim.activeRun))) continue
    if (active?.isAnswered !== true) throw busy(claim.activeRun)
    await active.ended
  }
}

/** Writes a change, and saves it whatever became of it. Who comes meanwhile waits, as for an answer that is whole. */
async function write(options: ChangeOptions, run: Run, plan: PlanChange): Promise<void> {
  const { store, now, active } = options
  const written = writeChange(store, run, plan)
  const save = () => saveChange(store, run, now().toISOString())
  const ended = written.catch(() => undefined).then(() => untilSaved(save, { ...options, runId: run.id }))
  active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  await ended
  return written
}

/**
 * Whether a run will not be in the way for long: one without an answer, which begins or ends just now, so that it is not
 * among the active ones yet, or any more.
 */
export async function isOverSoon(run: Run): Promise<boolean> {
  if (hasAnswer(run)) return false
  await new Promise(resolve => setTimeout(resolve, 5))
  return true
}

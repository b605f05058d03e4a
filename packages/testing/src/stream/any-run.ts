import { type Entry, isChatId, isOwnerId, isRunId } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import fc from 'fast-check'
import { messageIdOf } from '../log/entries-of.ts'
import { idOf } from '../log/id-of.ts'
import { runEntries } from '../log/run-entries.ts'

/** The record of the run whose log `runEntries` makes up. */
export const anyRun: Run = {
  id: idOf(isRunId, 'run'),
  ownerId: idOf(isOwnerId, 'owner'),
  chatId: idOf(isChatId, 'chat'),
  agent: 'master',
  userMessageId: messageIdOf('question'),
  answerId: messageIdOf('answer'),
  afterSeq: 0,
  startedAt: '2026-01-02T03:04:05Z',
  status: 'running',
  kind: 'answer',
}

/**
 * Checks a fact about the logs of many random runs. `npm test` always checks the same 30 runs. With FORM_RUNS this
 * checks as many as that says, and others each time.
 */
export async function checkAnyRun(check: (entries: readonly Entry[]) => void | Promise<void>): Promise<void> {
  const count = process.env['FORM_RUNS']
  const runs = count === undefined ? { numRuns: 30, seed: 1 } : { numRuns: Number(count) }
  await fc.assert(
    fc.asyncProperty(runEntries, async entries => check(entries)),
    runs,
  )
}

import { type Lease, sealDrafts } from '@throughline/log'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { expect, test } from 'vitest'
import type { LogAppend } from '../../../src/postgres/log/append-query.ts'
import { AppendQueue, KnownEnds } from '../../../src/postgres/log/append-queue.ts'
import type { AppendOutcome } from '../../../src/postgres/log/commit-appends.ts'

const log = testLog('chat')
const sealed = sealDrafts(log, [textDraft('one')])

test('the end of a log is known after the lease was taken, and after each commit under it', async () => {
  const { queue, ends, committed } = openQueue(() => ({ type: 'committed', epoch: 'epoch' }))
  const lease = leaseOf()
  ends.learn(lease, 0)
  await queue.append(lease, 0, sealed)
  await queue.append(lease, 1, sealed)
  // Somebody else who says to have the lease, and an end that the log does not have.
  await queue.append({ ...lease }, 2, sealed)
  await queue.append(lease, 7, sealed)
  expect(committed.map(({ isEndKnown }) => isEndKnown)).toEqual([true, true, false, false])
})

test('the end of a log is what it was after an append that was refused', async () => {
  const { queue, ends, committed } = openQueue(() => ({ type: 'refused', error: new Error('no') }))
  const lease = leaseOf()
  ends.learn(lease, 0)
  await expect(queue.append(lease, 0, sealed)).rejects.toThrow('no')
  await expect(queue.append(lease, 1, sealed)).rejects.toThrow('no')
  await expect(queue.append(lease, 0, sealed)).rejects.toThrow('no')
  expect(committed.map(({ isEndKnown }) => isEndKnown)).toEqual([true, false, true])
})

function leaseOf(): Lease {
  return { log, fence: 1, head: { epoch: 'epoch', seq: 0 } }
}

/** `committed` are the appends that the queue asked to commit. */
function openQueue(outcome: () => AppendOutcome) {
  const committed: LogAppend[] = []
  const ends = new KnownEnds()
  const queue = new AppendQueue({
    async commit(appends) {
      committed.push(...appends)
      return new Map(appends.map(append => [append, outcome()]))
    },
    ends,
    onCommitted: () => undefined,
    now: () => 0,
  })
  return { queue, ends, committed }
}

import { createInterface } from 'node:readline'
import { readBetween } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { spawnWriter } from '@throughline/testing/log/spawn-writer'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStore } from '../../src/open/open-store.ts'

const log = testLog('chat')
const killCount = Number(process.env['KILLS'] ?? 2)

test(
  `a process that is killed at any moment loses nothing it has acknowledged, and the log goes on (${killCount} kills)`,
  async () => {
    await using folder = await temporaryFolder()
    // The number of acknowledged appends after which the process of a round is killed: some die soon after their start,
    // some with a long journal.
    const moments = fc.sample(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 300 })), {
      numRuns: killCount,
      seed: 20_260_101,
    })
    let before = 0
    for (const count of moments) {
      const acknowledged = await killAfter(folder.path, count)
      const store = await openStore(folder.path)
      const { epoch, seq: head } = await store.log.open(log)
      const entries = (
        await Array.fromAsync(readBetween(store.log, log, { after: { epoch, seq: 0 }, upTo: head }))
      ).flat()
      expect(head).toBeGreaterThanOrEqual(Math.max(before + 1, ...acknowledged))
      expect(entries).toHaveLength(head)
      expectWhole(entries, before)
      const lease = await store.log.acquire(log)
      const next = head + 1
      expect(
        await appendAtEnd(store.log, lease, [textDraft(`${next} of ${next} to ${next} `)]),
      ).toMatchObject([{ seq: next }])
      await store.close()
      before = next
    }
  },
  60_000 + killCount * 10_000,
)

/** Runs the program until it has acknowledged so many appends, kills it, and returns all that it acknowledged. */
async function killAfter(folder: string, count: number): Promise<readonly number[]> {
  await using writer = spawnWriter(folder)
  const acknowledged: number[] = []
  let killed = Promise.resolve()
  for await (const line of createInterface(writer.acknowledged)) {
    acknowledged.push(Number(line))
    if (acknowledged.length === count) killed = writer.kill()
  }
  await killed
  return acknowledged
}

/** Every entry is the one that belongs there, and the last append is there from its first entry to its last. */
function expectWhole(entries: readonly Entry[], before: number): void {
  for (const [index, { seq, chunk }] of entries.entries()) {
    if (seq !== index + 1 || chunk.type !== 'text-delta' || !chunk.delta.startsWith(`${seq} of `))
      expect.fail(`Place ${index + 1} holds entry ${seq}: ${JSON.stringify(chunk).slice(0, 100)}`)
  }
  const last = entries.at(-1)?.chunk
  const words = last?.type === 'text-delta' ? last.delta.split(' ') : []
  expect(Number(words[4])).toBe(entries.length)
  expect(Number(words[2])).toBeGreaterThan(before)
}

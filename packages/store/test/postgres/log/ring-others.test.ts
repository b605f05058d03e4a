import { expect, test } from 'vitest'
import { RingOthers } from '../../../src/postgres/log/ring-others.ts'
import { hashIn, notificationRecords } from '../../../src/postgres/log/ring-payload.ts'

test('while notifications are slow, every log that changes is announced, however many entries there are', async () => {
  const sent: string[] = []
  const slow = Promise.withResolvers<void>()
  const others = new RingOthers({
    async send(notifications) {
      sent.push(...notifications.map(({ payload }) => payload))
      if (sent.length === 1) await slow.promise
    },
    onReconnect: () => undefined,
  })
  others.ring(['first'])
  others.ring(Array.from({ length: 20_000 }, (_, index) => `long\tepoch\t${index}`))
  others.ring(['late\tepoch\t1', 'changed'])
  slow.resolve()
  await expect.poll(() => sent.length).toBeGreaterThan(1)
  const records = sent.flatMap(notificationRecords)
  expect(new Set(records.map(hashIn))).toEqual(new Set(['first', 'long', 'late', 'changed']))
  // The others read what is only announced, so the entries need not wait in memory.
  expect(records.length).toBeLessThan(5_000)
})

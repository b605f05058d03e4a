import { RingOthers } from '@throughline/store/postgres/ring-others'
import { hashIn, linesIn } from '@throughline/store/postgres/ring-payload'
import { expect, test } from 'vitest'

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
  const lines = sent.flatMap(linesIn)
  expect(new Set(lines.map(hashIn))).toEqual(new Set(['first', 'long', 'late', 'changed']))
  // The others read what is only announced, so the entries need not wait in memory.
  expect(lines.length).toBeLessThan(5_000)
})

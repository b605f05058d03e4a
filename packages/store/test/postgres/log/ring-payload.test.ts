import { type Lease, sealDrafts } from '@throughline/log'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Committed } from '../../../src/postgres/log/append-queue.ts'
import { logHash } from '../../../src/postgres/log/followed-logs.ts'
import { entryFrom } from '../../../src/postgres/log/read-logs.ts'
import {
  hashIn,
  notificationRecords,
  payloadsOf,
  recordsOf,
  sentEntryIn,
} from '../../../src/postgres/log/ring-payload.ts'
import { maxPlaintextBytes } from '../../../src/postgres/notifications/encrypted-notifications.ts'

const log = testLog('chat')

test('whatever is committed is told in payloads that Postgres takes, or announced', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 40 }), appends => {
      const committed = appends.map(each => committedOf(each))
      const payloads = payloadsOf(committed.flatMap(each => recordsOf(each, logHash)))
      for (const payload of payloads) {
        expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxPlaintextBytes)
        expect(payload).not.toContain('\0')
      }
      const records = payloads.flatMap(notificationRecords)
      for (const record of records) expect(hashIn(record)).toBe(logHash(log))
      const sent = records.flatMap(record => sentEntryIn(record) ?? [])
      const sentEntries = sent.map(({ seq, row }) => entryFrom(row, { log, seq }))
      const short = committed.filter(({ chars }) => chars <= 1_800)
      expect(sentEntries).toEqual(short.flatMap(({ entries }) => entries))
      expect(records).toHaveLength(sentEntries.length + committed.length - short.length)
    }),
  )
})

test('the longest line that tells an entry fits into a payload', () => {
  const id = 'x'.repeat(128)
  const room = 1_800 - JSON.stringify(textDraft('', { id: 'text' }).chunk).length
  const [record = ''] = recordsOf(committedOf(['里'.repeat(room)], id), logHash)
  expect(sentEntryIn(record)).toBeDefined()
  expect(payloadsOf([record])).toEqual([record])
  expect(Buffer.byteLength(record)).toBeLessThanOrEqual(maxPlaintextBytes)
})

function committedOf(texts: readonly string[], messageId = 'answer'): Committed {
  const lease: Lease = { log, fence: 1, head: { epoch: 'epoch', seq: 6 } }
  const sealed = sealDrafts(
    log,
    texts.map(text => textDraft(text, { messageId })),
  )
  const append = { lease, after: 6, isEndKnown: true, at: 1_700_000_000_000, sealed }
  const entries = sealed.map(({ json, ...draft }, index) => ({ ...draft, seq: 7 + index, at: append.at }))
  const chars = sealed.reduce((sum, { json }) => sum + json.length, 0)
  return { log, epoch: 'epoch', append, entries, chars }
}

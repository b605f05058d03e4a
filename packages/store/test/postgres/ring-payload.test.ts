import { type Lease, sealDrafts } from '@throughline/log'
import type { Committed } from '@throughline/store/postgres/append-queue'
import { maxTextBytes } from '@throughline/store/postgres/encrypted-notifications'
import { logHash } from '@throughline/store/postgres/followed-logs'
import { entryFrom } from '@throughline/store/postgres/log-rows'
import { entryIn, hashIn, linesIn, linesOf, payloadsOf } from '@throughline/store/postgres/ring-payload'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const log = testLog('chat')

test('whatever is committed is told in payloads that Postgres takes, or announced', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 40 }), appends => {
      const committed = appends.map(each => committedOf(each))
      const payloads = payloadsOf(linesOf(committed))
      for (const payload of payloads) {
        expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxTextBytes)
        expect(payload).not.toContain('\0')
      }
      const lines = payloads.flatMap(linesIn)
      for (const line of lines) expect(hashIn(line)).toBe(logHash(log))
      const told = lines.flatMap(line => entryIn(line) ?? [])
      const toldEntries = told.map(({ seq, row }) => entryFrom(row, { log, seq }))
      const short = committed.filter(({ chars }) => chars <= 1_800)
      expect(toldEntries).toEqual(short.flatMap(({ entries }) => entries))
      expect(lines).toHaveLength(toldEntries.length + committed.length - short.length)
    }),
  )
})

test('the longest line that tells an entry fits into a payload', () => {
  const id = 'x'.repeat(128)
  const room = 1_800 - JSON.stringify(textDraft('', { id: 'text' }).chunk).length
  const [line = ''] = linesOf([committedOf(['里'.repeat(room)], id)])
  expect(entryIn(line)).toBeDefined()
  expect(payloadsOf([line])).toEqual([line])
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxTextBytes)
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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyOf, payloadFrom } from '../../src/sending/outbox-body.ts'
import type { ReplyPayload } from '../../src/sending/payloads.ts'

const text = fc.string({ unit: 'binary', maxLength: 20 })
const payloads: fc.Arbitrary<ReplyPayload> = fc.record(
  {
    text,
    before: text,
    reopening: text,
    closing: text,
    media: fc.array(text, { maxLength: 2 }),
    replyTo: text,
    isStatus: fc.boolean(),
    messageIndex: fc.nat(),
  },
  { requiredKeys: [] },
)

test('a payload comes back as it was kept', () => {
  fc.assert(
    fc.property(payloads, payload => {
      expect(payloadFrom(bodyOf(payload))).toEqual(payload)
    }),
  )
})

test('an id is not kept: it tells payloads apart in one process only', () => {
  expect(bodyOf({ text: 'One.', id: '1' })).toBe('{"text":"One."}')
})

test.each(['', 'no JSON', 'null', '[]', '5', '{"text":5}', '{"media":"x"}', '{"isStatus":1}'])(
  'a damaged row is named as such: %s',
  body => {
    expect(() => payloadFrom(body)).toThrow('An item of the outbox is damaged.')
  },
)

test('whatever stands in a row, it is a payload or named as damaged', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), body => {
      try {
        bodyOf(payloadFrom(body))
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('damaged') })
      }
    }),
  )
})

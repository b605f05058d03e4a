import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSigned, sign } from '../../src/webhook/signature.ts'

const bodies = fc.uint8Array({ maxLength: 200 })
const secrets = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })
const times = fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })

function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

describe('a signature', () => {
  test('is of the bytes that were signed, by the same secret', () => {
    fc.assert(
      fc.property(bodies, secrets, times, (body, secret, now) => {
        expect(isSigned(body, sign(body, { secret, now }), { secret, now })).toBe(true)
      }),
    )
  })

  test('is of no other bytes', () => {
    fc.assert(
      fc.property(bodies, bodies, secrets, times, (body, other, secret, now) => {
        fc.pre(Buffer.compare(body, other) !== 0)
        expect(isSigned(other, sign(body, { secret, now }), { secret, now })).toBe(false)
      }),
    )
  })

  test('does not survive the change of a single bit', () => {
    const bit = fc.record({ at: fc.nat(), mask: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128) })
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), bit, times, (body, { at, mask }, now) => {
        const changed = body.map((byte, index) => (index === at % body.length ? byte ^ mask : byte))
        const secret = 'a secret'
        expect(isSigned(changed, sign(body, { secret, now }), { secret, now })).toBe(false)
      }),
    )
  })

  test('is by no other secret', () => {
    fc.assert(
      fc.property(bodies, secrets, secrets, times, (body, secret, other, now) => {
        // An HMAC pads a short key with zeros, so both keys are the same.
        fc.pre(secret.replace(/\0+$/, '') !== other.replace(/\0+$/, ''))
        expect(isSigned(body, sign(body, { secret, now }), { secret: other, now })).toBe(false)
      }),
    )
  })

  test('is worth nothing five minutes later, or earlier', () => {
    fc.assert(
      fc.property(bodies, times, fc.integer({ min: -1_000, max: 1_000 }), (body, now, seconds) => {
        const whole = new Date(Math.floor(now.getTime() / 1000) * 1000)
        const secret = 'a secret'
        const signature = sign(body, { secret, now: whole })
        const isFresh = Math.abs(seconds) <= 300
        expect(isSigned(body, signature, { secret, now: later(whole, seconds) })).toBe(isFresh)
      }),
    )
  })

  test('cannot be given another time', () => {
    const body = Buffer.from('{}')
    const secret = 'a secret'
    const now = new Date('2026-01-01T00:00:00Z')
    const [, digest] = sign(body, { secret, now }).split(',')
    const later = Math.floor(now.getTime() / 1000) + 10
    expect(isSigned(body, `t=${later},${digest}`, { secret, now })).toBe(false)
  })

  test('is nothing that somebody makes up', () => {
    const secret = 'a secret'
    const now = new Date('2026-01-01T00:00:00Z')
    const body = Buffer.from('{}')
    const right = sign(body, { secret, now })
    const seconds = Math.floor(now.getTime() / 1000)
    const madeUp = fc.oneof(
      fc.string(),
      fc
        .string({ minLength: 64, maxLength: 64, unit: fc.constantFrom(...'0123456789abcdef') })
        .map(hex => `t=${seconds},v1=${hex}`),
      fc.constantFrom(
        '',
        right.toUpperCase(),
        ` ${right}`,
        `${right} `,
        `${right}\n`,
        `${right},v1=00`,
        right.slice(0, -1),
      ),
      fc.constantFrom(
        `t=${seconds}`,
        `t=${seconds},v1=`,
        `t=-1,v1=${'0'.repeat(64)}`,
        `t=1e9,v1=${'0'.repeat(64)}`,
      ),
    )
    fc.assert(
      fc.property(madeUp, signature => {
        fc.pre(signature !== right)
        expect(isSigned(body, signature, { secret, now })).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})

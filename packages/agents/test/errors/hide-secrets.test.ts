import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSecrets, secretsIn } from '../../src/errors/hide-secrets.ts'

const secret = fc.string({ minLength: 8, unit: 'binary' })

test('a secret is covered wherever it stands, in plain text, in JSON and in a URL', () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
      const hide = hideSecrets([hidden])
      const texts = [hidden, JSON.stringify(hidden).slice(1, -1), encodeURIComponent(hidden.toWellFormed())]
      for (const text of texts) expect(hide(`${before}·${text}·${after}`)).toContain('[secret]')
      expect(hide(before + hidden + after)).not.toContain(hidden)
    }),
  )
})

test('a secret that begins another one leaves nothing of the longer one', () => {
  expect(hideSecrets(['abcdefgh', 'abcdefgh-ijkl'])('x abcdefgh-ijkl y')).toBe('x [secret] y')
})

test('what is too short to be a secret is not covered', () => {
  expect(hideSecrets(['', 'short'])('a short text')).toBe('a short text')
})

test('secrets are known by the names of their settings', () => {
  const env = {
    OPENAI_API_KEY: ' sk-1 ',
    TELEGRAM_TOKEN: 't',
    PATH: '/bin',
    KEYBOARD: 'us',
    DB_PASSWORD: 'p',
    'x-api-key': 'k',
    authorization: 'Bearer b',
    MONKEY: 'm',
    UNSET_KEY: undefined,
  }
  expect(secretsIn(env)).toEqual(['sk-1', 't', 'p', 'k', 'Bearer b'])
})

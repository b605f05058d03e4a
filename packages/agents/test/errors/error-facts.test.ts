import { APICallError, JSONParseError, RetryError } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorFacts } from '../../src/errors/error-facts.ts'

const request = {
  model: 'some-model-2026-01-01-preview',
  messages: [
    { role: 'system', content: 'You are the assistant of a bank in Lisbon.' },
    { role: 'user', content: [{ type: 'text', text: 'My code is "4711",\nplease keep it.' }] },
    { role: 'user', content: '请帮我查一下余额' },
    { role: 'user', content: 'hunter2' },
  ],
  tools: [
    { type: 'function', function: { name: 'balance', description: 'Tells the balance of an account.' } },
  ],
}

function refused(
  message: string,
  more: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
): APICallError {
  const url = 'https://user:pass@provider.example/v1/chat?key=abc#part'
  return new APICallError({ message, url, requestBodyValues: request, statusCode: 400, ...more })
}

const fieldName = fc.string().filter(name => name !== '__proto__')

test('of an error only the named fields are logged, whatever else it carries', () => {
  fc.assert(
    fc.property(fc.dictionary(fieldName, fc.jsonValue()), more => {
      const error = Object.assign(new Error('It broke.'), more, {
        name: 'BrokenError',
        message: 'It broke.',
        code: 'E_BROKEN',
      })
      const { stack, cause, ...facts } = errorFacts(error)
      expect(facts).toEqual({ type: 'BrokenError', message: 'It broke.', code: 'E_BROKEN' })
    }),
  )
})

test('an error is logged with its stack and its causes, and a circle of causes ends', () => {
  const inner = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })
  const facts = errorFacts(new TypeError('fetch failed', { cause: inner }))
  expect(facts).toMatchObject({
    type: 'TypeError',
    message: 'fetch failed',
    stack: expect.stringMatching(/^\s+at /),
    cause: { type: 'Error', code: 'ECONNREFUSED' },
  })
  inner.cause = inner
  expect(JSON.stringify(errorFacts(inner)).match(/"cause"/g)).toHaveLength(5)
})

test('a stack is logged without the message, also when the message looks like a stack', () => {
  const facts = errorFacts(new Error(`first line\n    at secret place\nlast line ${'x'.repeat(600)}`))
  expect(facts.stack).not.toContain('secret place')
  expect(facts.message?.length).toBeLessThan(520)
})

test('a provider’s refusal is logged with its code and its address, without query and password', () => {
  const data = { error: { message: 'no', code: 'context_length_exceeded', type: 'invalid_request_error' } }
  expect(
    errorFacts(refused('Too long.', { data, responseBody: 'body', responseHeaders: { a: 'b' } })),
  ).toEqual({
    type: 'AI_APICallError',
    message: 'Too long.',
    statusCode: 400,
    url: 'https://provider.example/v1/chat',
    providerCode: 'context_length_exceeded',
    stack: expect.any(String),
  })
})

test.each([
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
  'messages.0.content: expected an object, got a string',
  'The model some-model-2026-01-01-preview does not exist.',
])('the words of a provider that repeat nothing are logged: %s', message => {
  expect(errorFacts(refused(message)).message).toBe(message)
})

test.each([
  ['the whole request', `You sent ${JSON.stringify(request)}`],
  ['a part of the instructions', 'Bad prompt near "re the assistant of a bank in L"'],
  ['the question, escaped', String.raw`invalid: My code is \"4711\",\nplease keep`],
  ['a question in Chinese', '参数错误：请帮我查一下余额'],
  ['a question of one word', 'Your prompt hunter2 was flagged.'],
  ['a description of a tool', 'tools[0]: tells the balance of an account'],
  ['a long page', 'x'.repeat(600)],
])('the words of a provider that repeat %s are not logged', (_, message) => {
  const facts = errorFacts(refused(message))
  expect(facts).not.toHaveProperty('message')
  expect(facts).toMatchObject({ type: 'AI_APICallError', statusCode: 400 })
})

test('what looks like a key is covered in the words of a provider', () => {
  expect(errorFacts(refused('Incorrect API key provided: sk-abc0123456789defghijk.')).message).toBe(
    'Incorrect API key provided: […].',
  )
})

test('of several attempts the reason, the number and the last one are logged', () => {
  const errors = [refused('One.'), refused('Two.', { statusCode: 500 })]
  const error = new RetryError({ message: 'Failed. Last error: Two.', reason: 'maxRetriesExceeded', errors })
  const facts = errorFacts(error)
  expect(facts).toMatchObject({
    reason: 'maxRetriesExceeded',
    attempts: 2,
    cause: { message: 'Two.', statusCode: 500 },
  })
  expect(facts).not.toHaveProperty('message')
})

test('an answer that cannot be read is not repeated in the log', () => {
  const error = new JSONParseError({ text: 'my secret answer', cause: new Error('bad JSON') })
  expect(JSON.stringify(errorFacts(error))).not.toContain('my secret answer')
  expect(errorFacts(error).message).toBe('JSON parsing failed')
})

test.each([
  ['a text of a provider'],
  [{ message: 'a text of a provider', code: 'overloaded' }],
  [undefined],
  [null],
  [7n],
])('what is thrown and is no error is named by its kind: %s', thrown => {
  const line = JSON.stringify(errorFacts(thrown))
  expect(line).toContain('"type"')
  expect(line).not.toContain('a text')
})

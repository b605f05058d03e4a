import { APICallError, RetryError } from 'ai'
import { expect, test } from 'vitest'
import { GraphWaitsError } from '../../src/errors/agent-errors.ts'
import { describeFailure } from '../../src/errors/describe-failure.ts'

test.each([
  [401, "The model provider refused the server's key (401). Check the key in the server's settings."],
  [403, "The model provider refused the server's key (403). Check the key in the server's settings."],
  [404, 'The model provider does not know this model (404). Check THROUGHLINE_MODEL.'],
  [429, 'The model provider is busy or its quota is used up (429). Try again in a while.'],
  [500, 'The model provider has a problem of its own (500). Try again in a while.'],
  [503, 'The model provider has a problem of its own (503). Try again in a while.'],
  [400, 'The model provider refused the request (400).'],
  [200, 'The connection to the model provider broke. What was said so far is kept; try again.'],
  [undefined, 'The connection to the model provider broke. What was said so far is kept; try again.'],
])('the status %s is told with what helps', (statusCode, text) => {
  expect(describeFailure(callError(statusCode))).toBe(text)
})

test('of several attempts the last one is told', () => {
  const errors = [callError(500), callError(429)]
  const error = new RetryError({ message: 'secret', reason: 'maxRetriesExceeded', errors })
  expect(describeFailure(error)).toContain('(429)')
})

test('a timeout is told as silence', () => {
  expect(describeFailure(new DOMException('secret', 'TimeoutError'))).toBe(
    'The model provider has sent nothing for too long. What it said so far is kept; try again.',
  )
})

test.each([new Error('secret'), 'secret', undefined, null, { secret: 1 }])(
  'anything else says nothing of itself',
  error => {
    expect(describeFailure(error)).toBe(
      'The answer broke off because of an error. What was said so far is kept; try again.',
    )
  },
)

test('no upstream body, address or key is told', () => {
  const texts = [400, 401, 404, 429, 500, undefined].map(status => describeFailure(callError(status)))
  expect(texts.join(' ')).not.toMatch(/secret|https?:/)
})

function callError(statusCode: number | undefined): APICallError {
  return new APICallError({
    message: 'secret message',
    url: 'https://secret.example',
    requestBodyValues: { key: 'secret' },
    responseBody: 'secret body',
    ...(statusCode === undefined ? {} : { statusCode }),
  })
}

test('of a graph that waits for a person, it is told what to do', () => {
  expect(describeFailure(new GraphWaitsError())).toContain('or humanInTheLoopMiddleware')
})

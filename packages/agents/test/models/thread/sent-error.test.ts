import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import { receivedError, sentError } from '../../../src/models/thread/sent-error.ts'

const arrived = (error: unknown) => receivedError(structuredClone(sentError(error)))

test('an error of the AI SDK keeps its name, its fields and its kind', () => {
  const cause = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' })
  const error = new APICallError({
    ...{ message: 'Overloaded', url: 'http://127.0.0.1/v1', requestBodyValues: { model: 'a' } },
    ...{ statusCode: 503, responseBody: '{}', responseHeaders: { 'retry-after': '1' }, cause },
  })
  const received = arrived(error)
  expect(APICallError.isInstance(received)).toBe(true)
  expect(received).toMatchObject({ ...error, name: error.name, message: 'Overloaded', stack: error.stack })
  expect(received).toMatchObject({
    cause: { name: 'TypeError', message: 'fetch failed', code: 'ECONNREFUSED' },
  })
})

test('fields that cannot be sent are left out, and the others stay', () => {
  const error = Object.assign(new Error('no'), { retry: () => undefined, statusCode: 500 })
  expect(arrived(error)).toMatchObject({ message: 'no', statusCode: 500 })
  expect(arrived(error)).not.toHaveProperty('retry')
})

test('what is no error stays what it is', () => {
  expect(arrived({ type: 'overloaded_error' })).toEqual({ type: 'overloaded_error' })
  expect(arrived('broken')).toBe('broken')
  expect(arrived(undefined)).toBe(undefined)
  expect(arrived(Symbol('broken'))).toBe('Symbol(broken)')
})

test('an abort is still an abort', () => {
  expect(arrived(new DOMException('stopped', 'AbortError'))).toMatchObject({ name: 'AbortError' })
})

import { expect, test } from 'vitest'
import { type RetryOptions, retry } from '../../src/async/retry.ts'

/** Waits that pass at once; `waits` has them all. */
function fakePause(options: Partial<RetryOptions> = {}) {
  const waits: number[] = []
  const all: RetryOptions = {
    firstMs: 100,
    maxMs: 500,
    onFailure: (_, delayMs) => delayMs,
    pause: async ms => void waits.push(ms),
    ...options,
  }
  return { waits, options: all }
}

/** Fails a number of times, and then returns how often it was called. */
function failing(times: number) {
  let calls = 0
  return async () => {
    calls += 1
    if (calls <= times) throw new Error(`failure ${calls}`)
    return calls
  }
}

test('returns what the first attempt that succeeds returns', async () => {
  const { waits, options } = fakePause()
  expect(await retry(failing(0), options)).toBe(1)
  expect(await retry(failing(2), options)).toBe(3)
  expect(waits).toEqual([100, 200])
})

test('waits twice as long after each failure, up to the longest wait', async () => {
  const { waits, options } = fakePause()
  await retry(failing(5), options)
  expect(waits).toEqual([100, 200, 400, 500, 500])
})

test('waits as long as onFailure says, and ends when it says nothing', async () => {
  const errors: string[] = []
  const { waits, options } = fakePause({
    onFailure: (error, delayMs) => {
      errors.push(String(error))
      return errors.length < 3 ? delayMs + 1 : undefined
    },
  })
  expect(await retry(failing(9), options)).toBeUndefined()
  expect(waits).toEqual([101, 201])
  expect(errors).toEqual(['Error: failure 1', 'Error: failure 2', 'Error: failure 3'])
})

test('what onFailure throws is thrown', async () => {
  const { options } = fakePause({
    onFailure: error => {
      throw error
    },
  })
  await expect(retry(failing(1), options)).rejects.toThrow('failure 1')
})

test('waits start anew after an attempt that took long enough', async () => {
  const { waits, options } = fakePause({ restartAfterMs: -1 })
  await retry(failing(3), options)
  expect(waits).toEqual([100, 100, 100])
})

test('makes no attempt when the signal has aborted before', async () => {
  const { options } = fakePause({ signal: AbortSignal.abort() })
  expect(await retry(failing(0), options)).toBeUndefined()
})

test('a signal that aborts during the wait ends it', async () => {
  const stop = new AbortController()
  const { options } = fakePause({ firstMs: 1e9, maxMs: 1e9, signal: stop.signal, pause: undefined })
  const ended = retry(failing(9), options)
  await Promise.resolve()
  stop.abort()
  expect(await ended).toBeUndefined()
})

import { expect, test } from 'vitest'
import { untilAborted } from '../../src/async/waits.ts'

test('the value of the work is returned', async () => {
  expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done')
})

test('the failure of the work is thrown', async () => {
  const work = Promise.reject(new Error('It broke.'))
  await expect(untilAborted(work, new AbortController().signal)).rejects.toThrow('It broke.')
})

test('an abort ends the wait with its reason, though the work hangs', async () => {
  const stop = new AbortController()
  const waiting = untilAborted(hanging(), stop.signal)
  stop.abort(new Error('Stopped.'))
  await expect(waiting).rejects.toThrow('Stopped.')
})

test('with a signal that has aborted already nothing is waited for', async () => {
  await expect(untilAborted(hanging(), AbortSignal.abort(new Error('Stopped.')))).rejects.toThrow('Stopped.')
})

test('work that fails after the abort disturbs nobody', async () => {
  const stop = new AbortController()
  const work = Promise.withResolvers<void>()
  const waiting = untilAborted(work.promise, stop.signal)
  stop.abort(new Error('Stopped.'))
  await expect(waiting).rejects.toThrow('Stopped.')
  // An unhandled rejection would fail this test run.
  work.reject(new Error('Too late.'))
})

function hanging(): Promise<never> {
  return new Promise(() => undefined)
}

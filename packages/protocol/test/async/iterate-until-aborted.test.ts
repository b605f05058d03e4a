import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { iterateUntilAborted } from '../../src/async/waits.ts'

test('everything passes, in order, and then the end', async () => {
  expect(await Array.fromAsync(iterateUntilAborted(() => from([1, 2, 3]), never()))).toEqual([1, 2, 3])
})

test('an abort ends it at once, also when the source hangs', async () => {
  const stop = new AbortController()
  const values = iterateUntilAborted(hanging, stop.signal)
  expect(await values.next()).toEqual({ done: false, value: 'first' })
  const next = values.next()
  stop.abort()
  expect(await next).toEqual({ done: true, value: undefined })
})

test('an abort from before the start gives nothing, and opens nothing', async () => {
  expect(await Array.fromAsync(iterateUntilAborted(fail, AbortSignal.abort()))).toEqual([])
})

test('a source that fails fails it', async () => {
  const failing = iterateUntilAborted(() => from([1], new Error('The source broke.')), never())
  await failing.next()
  await expect(failing.next()).rejects.toThrow('The source broke.')
})

test('a source that cannot be opened fails it', async () => {
  await expect(iterateUntilAborted(fail, never()).next()).rejects.toThrow('The source cannot be used.')
})

test('a source that fails after the abort is heard by no one', async () => {
  const stop = new AbortController()
  const broken = Promise.withResolvers<IteratorResult<string>>()
  const values = iterateUntilAborted(() => sourceOf({ next: () => broken.promise }), stop.signal)
  const next = values.next()
  stop.abort()
  expect((await next).done).toBe(true)
  // An unhandled rejection would fail this test run.
  broken.reject(new Error('Too late.'))
})

test('leaving early tells the source', async () => {
  const told = Promise.withResolvers<void>()
  async function* source() {
    try {
      for (;;) yield 'again'
    } finally {
      told.resolve()
    }
  }
  for await (const _ of iterateUntilAborted(source, never())) break
  await told.promise
})

test.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
  ['hangs', () => new Promise<never>(() => undefined)],
])('a source whose return %s does no harm', async (_, leave) => {
  const values = sourceOf({ next: async () => ({ done: true, value: undefined }), return: leave })
  expect(await Array.fromAsync(iterateUntilAborted(() => values, never()))).toEqual([])
})

test('what was passed on is not kept', async () => {
  const passed: WeakRef<object>[] = []
  async function* source() {
    for (let index = 0; index < 1_000; index += 1) {
      const value = { index }
      passed.push(new WeakRef(value))
      yield value
    }
    await collectGarbage()
    yield {}
  }
  const values = iterateUntilAborted(source, never())
  for (let index = 0; index < 1_001; index += 1) await values.next()
  expect(passed.filter(ref => ref.deref() !== undefined).length).toBeLessThan(100)
})

function never(): AbortSignal {
  return new AbortController().signal
}

async function* from<T>(values: readonly T[], failure?: Error): AsyncGenerator<T> {
  yield* values
  if (failure !== undefined) throw failure
}

async function* hanging(): AsyncGenerator<string> {
  yield 'first'
  await new Promise(() => undefined)
}

function sourceOf<T>(iterator: AsyncIterator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => iterator }
}

function fail(): never {
  throw new Error('The source cannot be used.')
}

// A weak reference keeps its object alive until the end of the current turn of the event loop. So wait for the next
// turn.
async function collectGarbage(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

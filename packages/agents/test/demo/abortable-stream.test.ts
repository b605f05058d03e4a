import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { abortableStream } from '../../src/demo/abortable-stream.ts'

async function* numbers(): AsyncGenerator<number, void> {
  for (let number = 1; number <= 3; number += 1) yield number
}

async function readAll<Part>(stream: ReadableStream<Part>): Promise<readonly Part[]> {
  const parts: Part[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

test('parts arrive in order, and the signal is left alone afterwards', async () => {
  const { signal } = new AbortController()
  const stream = abortableStream(numbers, signal)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  expect(await readAll(stream)).toEqual([1, 2, 3])
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort is seen even while nobody reads, and drops what was not read yet', async () => {
  const abort = new AbortController()
  const reader = abortableStream(numbers, abort.signal).getReader()
  expect((await reader.read()).value).toBe(1)
  abort.abort('enough')
  await expect(reader.closed).rejects.toBe('enough')
  await expect(reader.read()).rejects.toBe('enough')
})

test('cancelling wakes the generator and removes the listener', async () => {
  const abort = new AbortController()
  const asleep = Promise.withResolvers<void>()
  const woken = Promise.withResolvers<unknown>()
  async function* waiting(signal: AbortSignal): AsyncGenerator<number, void> {
    yield 1
    asleep.resolve()
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    woken.resolve(signal.reason)
  }
  const reader = abortableStream(waiting, abort.signal).getReader()
  await reader.read()
  await asleep.promise
  await reader.cancel('left')
  expect(await woken.promise).toBe('left')
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
})

test('what the generator throws errors the stream', async () => {
  async function* broken(): AsyncGenerator<number, void> {
    yield 1
    throw new Error('broken')
  }
  await expect(readAll(abortableStream(broken, undefined))).rejects.toThrow('broken')
})

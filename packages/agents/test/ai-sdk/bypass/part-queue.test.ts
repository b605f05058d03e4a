import { expect, test } from 'vitest'
import { PartQueue } from '../../../src/ai-sdk/bypass/part-queue.ts'

test('the reader gets the parts in the order in which they were put in, and then the end', async () => {
  const queue = new PartQueue<string>()
  const first = queue.next()
  for (const part of ['a', 'b']) queue.put(part)
  queue.end()
  expect(await first).toEqual({ done: false, value: 'a' })
  expect(await queue.next()).toEqual({ done: false, value: 'b' })
  expect(await queue.next()).toEqual({ done: true, value: undefined })
})

test('the reader gets what was put in before a failure, and then the error', async () => {
  const queue = new PartQueue<string>()
  queue.put('a')
  queue.end({ error: new Error('broken') })
  queue.put('too late')
  expect(await queue.next()).toEqual({ done: false, value: 'a' })
  await expect(queue.next()).rejects.toThrow('broken')
})

test('a writer waits while the queue is full', async () => {
  const queue = new PartQueue<number>()
  let room: Promise<void> | undefined
  let size = 0
  for (; room === undefined; size += 1) room = queue.put(size)
  expect(size).toBe(16)
  await queue.next()
  await expect(room).resolves.toBeUndefined()
})

test('a writer that waits goes on when the queue ends', async () => {
  const queue = new PartQueue<number>()
  let room: Promise<void> | undefined
  while (room === undefined) room = queue.put(0)
  queue.end()
  await expect(room).resolves.toBeUndefined()
})

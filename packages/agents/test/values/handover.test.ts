import { expect, test } from 'vitest'
import { Handover } from '../../src/values/handover.ts'

test('a writer waits until the reader has taken its values and asks for more', async () => {
  const handover = new Handover<string>()
  const steps: string[] = []
  const writing = handover.put(['a', 'b'])?.then(() => steps.push('written'))
  const reader = handover[Symbol.asyncIterator]()
  for (const _ of [1, 2]) steps.push(String((await reader.next()).value))
  const last = reader.next()
  await writing
  handover.close()
  expect(await last).toEqual({ done: true, value: undefined })
  expect(steps).toEqual(['a', 'b', 'written'])
})

test('what was put before the end is read before the end', async () => {
  const handover = new Handover<string>()
  void handover.put(['a'])
  void handover.put(['b'])
  handover.close()
  expect(await Array.fromAsync(handover)).toEqual(['a', 'b'])
})

test('the reader throws the error that the writing has ended with, after all values', async () => {
  const handover = new Handover<string>()
  void handover.put(['a'])
  handover.close({ error: new Error('broken') })
  const read: string[] = []
  const reading = async () => {
    for await (const value of handover) read.push(value)
  }
  await expect(reading()).rejects.toThrow('broken')
  expect(read).toEqual(['a'])
})

test('after a stop nobody waits, neither the reader nor a writer', async () => {
  const handover = new Handover<string>()
  const writing = handover.put(['a'])
  handover.stop()
  await writing
  await handover.put(['b'])
  expect(await Array.fromAsync(handover)).toEqual([])
})

test('a reader that leaves in the middle lets the writer go on', async () => {
  const handover = new Handover<string>()
  const writing = handover.put(['a', 'b'])
  for await (const value of handover) {
    expect(value).toBe('a')
    break
  }
  await writing
})

import { expect, test } from 'vitest'
import { KeyedMutex } from '../../src/async/concurrency.ts'

/** Work that ends when it is told to. `begun` has the names of all work that has begun. */
function heldWork() {
  const begun: string[] = []
  const held = (name: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const work = () => {
      begun.push(name)
      return promise
    }
    return { work, end: () => resolve(name), fail: () => reject(new Error(`${name} failed.`)) }
  }
  return { begun, held }
}

test('work with the same key is done one after the other, in the order of the calls', async () => {
  const mutex = new KeyedMutex<string>()
  const { begun, held } = heldWork()
  const [first, second, third] = [held('first'), held('second'), held('third')]
  const results = [first, second, third].map(({ work }) => mutex.run('a', work))
  third.end()
  second.end()
  await Promise.resolve()
  expect(begun).toEqual(['first'])
  first.end()
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third'])
  expect(begun).toEqual(['first', 'second', 'third'])
})

test('work with other keys does not wait, and work without any before it begins before the call returns', () => {
  const mutex = new KeyedMutex<string>()
  const { begun, held } = heldWork()
  void mutex.run('a', held('one').work)
  void mutex.run('b', held('other').work)
  expect(begun).toEqual(['one', 'other'])
})

test('work that fails does not stop the next one', async () => {
  const mutex = new KeyedMutex<string>()
  const { held } = heldWork()
  const [broken, next] = [held('broken'), held('next')]
  const failed = mutex.run('a', broken.work)
  const result = mutex.run('a', next.work)
  broken.fail()
  next.end()
  await expect(failed).rejects.toThrow('broken failed.')
  expect(await result).toBe('next')
})

test('after the last work of a key, the next one begins at once again', async () => {
  const mutex = new KeyedMutex<string>()
  const { begun, held } = heldWork()
  const [first, second] = [held('first'), held('second')]
  const result = mutex.run('a', first.work)
  first.end()
  await result
  void mutex.run('a', second.work)
  expect(begun).toEqual(['first', 'second'])
})

import { expect, test } from 'vitest'
import { AppendGroup } from '../../src/sqlite/append-group.ts'

const first = { epoch: 'a', first: 1, count: 1, at: 5, body: 'one' }
const second = { epoch: 'b', first: 7, count: 2, at: 6, body: 'two' }

test('appends become columns in the order in which they came', () => {
  const group = new AppendGroup()
  void group.add(first)
  void group.add(second)
  expect(group.count).toBe(2)
  expect(group.work).toEqual({
    type: 'append',
    epochs: ['a', 'b'],
    firsts: [1, 7],
    counts: [1, 2],
    ats: [5, 6],
    bodies: ['one', 'two'],
  })
})

test('everybody who appended hears how the group went', async () => {
  const done = new AppendGroup()
  const appended = [done.add(first), done.add(second)]
  done.resolve()
  await Promise.all(appended)

  const failed = new AppendGroup()
  const refused = [failed.add(first), failed.add(second)]
  failed.reject(new Error('full'))
  for (const append of refused) await expect(append).rejects.toThrow('full')
})

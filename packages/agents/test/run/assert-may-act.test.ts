import { expect, test } from 'vitest'
import { assertMayAct } from '../../src/run/assert-may-act.ts'

const lost = { mayActOutside: async () => false }

test('a tool does not begin in a process that may have lost its run, and the error says what to do', async () => {
  await expect(assertMayAct(lost, { key: 'pay' })).rejects.toThrow(
    /pay was not called, and nothing was done.*Try the call again in a moment/,
  )
})

test('a tool begins in a process that surely has its run', async () => {
  expect(await assertMayAct({ mayActOutside: async () => true }, { key: 'pay' })).toBeUndefined()
  expect(await assertMayAct({}, { key: 'pay' })).toBeUndefined()
})

test('an idempotent tool, and the one that delegates, may always begin', async () => {
  expect(await assertMayAct(lost, { key: 'look', idempotent: true })).toBeUndefined()
  expect(await assertMayAct(lost, { key: 'subAgent' })).toBeUndefined()
})

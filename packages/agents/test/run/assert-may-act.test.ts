import { expect, test } from 'vitest'
import { assertMayAct } from '../../src/run/assert-may-act.ts'

const lost = { mayActOutside: () => false }

test('a tool does not begin in a process that may have lost its run, and the error says what to do', () => {
  expect(() => assertMayAct(lost, { key: 'pay' })).toThrow(
    /pay was not called, and nothing was done.*Try the call again in a moment/,
  )
})

test('a tool begins in a process that surely has its run', () => {
  expect(() => assertMayAct({ mayActOutside: () => true }, { key: 'pay' })).not.toThrow()
  expect(() => assertMayAct({}, { key: 'pay' })).not.toThrow()
})

test('an idempotent tool, and the one that delegates, may always begin', () => {
  expect(() => assertMayAct(lost, { key: 'look', idempotent: true })).not.toThrow()
  expect(() => assertMayAct(lost, { key: 'subAgent' })).not.toThrow()
})

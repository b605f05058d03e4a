import { expect, test } from 'vitest'
import { moveFor } from '../../src/admission/busy-chat.ts'

const plain = { isAsking: false, isInChannel: false }

test.each([
  ['reject', plain, 'wait'],
  ['queue', plain, 'wait'],
  ['queue', { isAsking: true, isInChannel: true }, 'wait'],
  ['interrupt', plain, 'interrupt'],
  ['interrupt', { ...plain, isInChannel: true }, 'interrupt'],
  ['interrupt-unviewed', plain, 'wait-while-viewed'],
  ['interrupt-unviewed', { ...plain, isInChannel: true }, 'wait'],
  ['interrupt-unviewed', { ...plain, isAsking: true }, 'interrupt'],
] as const)('a message that says %s to %j makes it %s', (onBusy, run, move) => {
  expect(moveFor(onBusy, run)).toBe(move)
})

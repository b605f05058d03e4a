import { expect, test } from 'vitest'
import { checkEffects } from '../src/history/check-effects.ts'

const effect = (tool: string, callId = 'call-1', task = 'task 1') => {
  return { tool, runId: 'run-1', task, idempotencyKey: `run-1:${callId}` }
}
const options = { idempotent: new Set(['look']) }

test('different tasks, and an idempotent one that was repeated under the same key, are sound', () => {
  const effects = [effect('pay'), effect('pay', 'call-2', 'task 2'), effect('look'), effect('look')]
  expect(checkEffects(effects, options)).toEqual([])
})

test.each([
  ['a task that is not idempotent and was done twice', [effect('pay'), effect('pay')]],
  ['one that was done again under another key', [effect('pay'), effect('pay', 'call-2')]],
  ['an idempotent task that was done again under another key', [effect('look'), effect('look', 'call-2')]],
])('%s is found', (_name, effects) => {
  expect(checkEffects(effects, options)).toMatchObject([{ kind: 'doubled', invariant: 'D6' }])
})

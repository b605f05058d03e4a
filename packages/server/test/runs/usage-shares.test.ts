import type { MessageMetadata, Usage } from '@throughline/protocol'
import { messageIdOf } from '@throughline/testing/log/entries-of'
import { expect, test } from 'vitest'
import { usageShares } from '../../src/engine/end-run.ts'

test('the usage of sub-agents is taken out of that of the agents above them', () => {
  const shares = usageShares([
    message('question', {}),
    message('answer', { ...agent('master'), usage: used({ 'a:1': [100, 10, 1], 'b:2': [60, 6, 0.6] }) }),
    message('sub', {
      ...agent('travel', 'answer'),
      usage: used({ 'a:1': [30, 3, 0.3], 'b:2': [60, 6, 0.6] }),
    }),
    message('deep', { ...agent('weather', 'sub'), usage: used({ 'b:2': [20, 2, 0.2] }) }),
    message('deeper', { ...agent('weather', 'sub'), usage: used({ 'b:2': [10, 1, 0.1] }) }),
  ])
  expect(shares).toEqual([
    { agent: 'master', model: 'a:1', inputTokens: 70, outputTokens: 7, cost: 0.7 },
    { agent: 'travel', model: 'a:1', inputTokens: 30, outputTokens: 3, cost: 0.3 },
    { agent: 'travel', model: 'b:2', inputTokens: 30, outputTokens: 3, cost: expect.closeTo(0.3) },
    { agent: 'weather', model: 'b:2', inputTokens: 30, outputTokens: 3, cost: expect.closeTo(0.3) },
  ])
})

test('a price that is not known stays unknown, and what names no model is counted without one', () => {
  const whole = { inputTokens: 5, outputTokens: 1, totalTokens: 6, cost: null }
  expect(usageShares([message('answer', { ...agent('remote'), usage: whole })])).toEqual([
    { agent: 'remote', model: '', inputTokens: 5, outputTokens: 1, cost: undefined },
  ])
})

test('what nobody has used is left out', () => {
  expect(usageShares([message('answer', { ...agent('master'), usage: used({ 'a:1': [0, 0, 0] }) })])).toEqual(
    [],
  )
  expect(usageShares([message('answer', agent('master'))])).toEqual([])
})

function message(id: string, metadata: MessageMetadata) {
  return { id: messageIdOf(id), metadata }
}

function agent(name: string, parent?: string): MessageMetadata {
  const kind = parent === undefined ? ('master' as const) : ('sub' as const)
  return {
    agent: { kind, name, displayName: name, depth: 0, path: [name] },
    ...(parent === undefined ? {} : { parent: { messageId: parent, toolCallId: 'call' } }),
  }
}

function used(
  models: Readonly<Record<string, readonly [input: number, output: number, cost: number]>>,
): Usage {
  const byModel = Object.fromEntries(
    Object.entries(models).map(([model, [inputTokens, outputTokens, cost]]) => [
      model,
      { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, calls: 1, cost },
    ]),
  )
  return { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel }
}

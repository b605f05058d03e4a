import type { Message, Part } from '@throughline/protocol'
import { describe, expect, test } from 'vitest'
import { withoutLostItems } from '../../src/ai-sdk/without-lost-items.ts'

const step: Part = { type: 'step-start' }
const cut: Part = { type: 'data-continued', id: 'c', data: { attempt: 1, at: '', isStepCut: true } }
const between: Part = { type: 'data-continued', id: 'c', data: { attempt: 1, at: '', isStepCut: false } }
const said: Part = { type: 'text', text: 'Said.', providerMetadata: { openai: { itemId: 'msg_1' } } }
const plain: Part = { type: 'text', text: 'Said.', providerMetadata: { openai: {} } }
const signed: Part = { type: 'reasoning', text: 'Hm', providerMetadata: { anthropic: { signature: 'x' } } }
const unsigned: Part = { type: 'reasoning', text: 'Hm', providerMetadata: { openai: { itemId: 'rs_1' } } }
const call: Part = {
  type: 'tool-pay',
  toolCallId: 'call',
  state: 'output-available',
  input: {},
  output: 1,
  callProviderMetadata: { openai: { itemId: 'fc_1' }, google: { thoughtSignature: 'y' } },
}

describe('of a step that was cut off, a model does not read', () => {
  test('reasoning without its signature, and the ids of items', () => {
    expect(readable([step, unsigned, said, cut])).toEqual([step, plain, cut])
  })

  test('signed reasoning after which nothing was said', () => {
    expect(readable([step, signed, said, signed, cut])).toEqual([step, signed, plain, cut])
    expect(readable([step, signed, cut])).toEqual([step, cut])
  })

  test('calls of the provider, and calls whose input never came in full', () => {
    const ofProvider: Part = { ...call, providerExecuted: true }
    const half: Part = {
      type: 'tool-pay',
      toolCallId: 'half',
      state: 'output-error',
      rawInput: '{"a',
      input: {},
    }
    const empty: Part = { type: 'dynamic-tool', toolName: 'pay', toolCallId: 'e', state: 'output-error' }
    expect(readable([step, ofProvider, half, empty, call, cut])).toEqual([
      step,
      { ...call, callProviderMetadata: { openai: {}, google: { thoughtSignature: 'y' } } },
      cut,
    ])
  })
})

test('the steps before and after are read as they are', () => {
  const parts = [step, unsigned, said, step, unsigned, said, cut, step, unsigned, said]
  expect(readable(parts)).toEqual([step, unsigned, said, step, plain, cut, step, unsigned, said])
})

test('an answer that went on between two steps is read as it is, and so is one that was not cut', () => {
  for (const parts of [
    [step, unsigned, said, between, step, said],
    [step, unsigned, said],
  ]) {
    const message = answer(parts)
    expect(withoutLostItems(message)).toBe(message)
  }
})

test('the last step of an interrupted answer was cut off', () => {
  const message: Message = { ...answer([step, unsigned, said]), metadata: { status: 'interrupted' } }
  expect(withoutLostItems(message).parts).toEqual([step, plain])
})

function readable(parts: readonly Part[]): readonly Part[] {
  return withoutLostItems(answer(parts)).parts
}

function answer(parts: readonly Part[]): Message {
  return { id: 'answer', role: 'assistant', parts, metadata: { status: 'finished' } }
}

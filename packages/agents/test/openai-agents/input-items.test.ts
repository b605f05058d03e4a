import type { Part, ToolPart } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { inputItems } from '../../src/openai-agents/input-items.ts'

test('the results of a step stand after all of its calls', () => {
  const parts: readonly Part[] = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Two cities.' },
    { type: 'text', text: 'I look.' },
    tool('a', { output: { sky: 'clear' } }),
    tool('b', { output: 'rain' }),
    { type: 'step-start' },
    { type: 'text', text: 'Clear, and rain.' },
  ]
  expect(answer(parts)).toMatchObject([
    { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', callId: 'a', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call', callId: 'b' },
    { type: 'function_call_result', callId: 'a', name: 'weather', output: { text: '{"sky":"clear"}' } },
    { type: 'function_call_result', callId: 'b', output: { text: 'rain' } },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Clear, and rain.' }] },
  ])
})

test('the model reads why a call failed or was denied', () => {
  const parts = [
    tool('a', { state: 'output-error', errorText: 'No such city.' }),
    tool('b', { state: 'output-denied', approval: { id: 'x', approved: false, reason: 'Not now.' } }),
    tool('c', { state: 'output-denied' }),
  ]
  expect(answer(parts).slice(3)).toMatchObject([
    { callId: 'a', output: { text: 'No such city.' } },
    { callId: 'b', output: { text: 'Not now.' } },
    { callId: 'c', output: { text: 'The user did not allow this call.' } },
  ])
})

test('calls without a result, and calls that the provider ran, are left out', () => {
  const parts = [
    tool('a', { state: 'input-available' }),
    tool('b', { output: 'so far', preliminary: true }),
    tool('c', { output: 'found', providerExecuted: true }),
  ]
  expect(answer(parts)).toEqual([])
})

test('messages that say nothing are left out, and system messages are kept', () => {
  const said = { id: 'a', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] } as const
  const empty = { id: 'b', role: 'user', parts: [{ type: 'text', text: '' }] } as const
  expect(inputItems([said, empty])).toEqual([{ type: 'message', role: 'system', content: 'Be brief.' }])
})

function answer(parts: readonly Part[]) {
  return inputItems([{ id: 'answer', role: 'assistant', parts }])
}

function tool(toolCallId: string, more: Partial<ToolPart>): ToolPart {
  return { type: 'tool-weather', toolCallId, state: 'output-available', input: { city: 'Oslo' }, ...more }
}

import type { Message, Part, ToolPart } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { mastraMessages } from '../../src/mastra/mastra-messages.ts'

const call: ToolPart = {
  type: 'tool-weather',
  toolCallId: 'c',
  state: 'input-available',
  input: { city: 'Oslo' },
}

test('text, reasoning, files and results are handed over', () => {
  const parts: readonly Part[] = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Hm.', providerMetadata: { test: { signature: 's' } } },
    { type: 'text', text: 'Hello', state: 'done' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQI=', filename: 'red.png' },
    { ...call, type: 'dynamic-tool', toolName: 'weather', state: 'output-available', output: 'clear' },
  ]
  expect(handedOver(parts)).toEqual([
    { type: 'step-start' },
    { type: 'reasoning', text: 'Hm.', providerMetadata: { test: { signature: 's' } } },
    { type: 'text', text: 'Hello' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQI=', filename: 'red.png' },
    {
      type: 'tool-weather',
      toolCallId: 'c',
      state: 'output-available',
      input: { city: 'Oslo' },
      output: 'clear',
    },
  ])
})

test('a call that was denied is handed over as one that has failed', () => {
  expect(handedOver([{ ...call, state: 'output-denied' }])).toMatchObject([
    { state: 'output-error', errorText: 'The user did not allow this call.' },
  ])
})

test('calls without a last output, and what models do not read, are left out', () => {
  const parts: readonly Part[] = [
    { type: 'text', text: 'Hello' },
    call,
    { ...call, state: 'output-available', output: 'so far', preliminary: true },
    { type: 'data-step', data: {} },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
  ]
  expect(handedOver(parts)).toEqual([{ type: 'text', text: 'Hello' }])
})

test('a message of which nothing is left is left out', () => {
  const message: Message = { id: 'm', role: 'assistant', parts: [{ type: 'step-start' }, call] }
  expect(mastraMessages([message])).toEqual([])
})

function handedOver(parts: readonly Part[]) {
  return mastraMessages([{ id: 'm', role: 'assistant', parts }]).flatMap(message => message.parts)
}

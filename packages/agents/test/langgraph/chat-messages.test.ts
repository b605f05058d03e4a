import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { chatMessages } from '../../src/langgraph/graph-input.ts'

const question: Message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Lisbon?' }] }

test('a step is a message with its calls, followed by their results', async () => {
  const answer: Message = {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'They ask.' },
      { type: 'text', text: 'I look.' },
      {
        type: 'tool-weather',
        toolCallId: '1',
        state: 'output-available',
        input: { city: 'Lisbon' },
        output: { sky: 'clear' },
      },
      {
        type: 'tool-weather',
        toolCallId: '2',
        state: 'output-error',
        input: { city: 'Atlantis' },
        errorText: 'No city.',
      },
      { type: 'step-start' },
      { type: 'text', text: 'Clear.' },
    ],
  }
  expect(await chatMessages([question, answer])).toEqual([
    { role: 'user', content: 'Lisbon?' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { type: 'tool_call', id: '1', name: 'weather', args: { city: 'Lisbon' } },
        { type: 'tool_call', id: '2', name: 'weather', args: { city: 'Atlantis' } },
      ],
    },
    { role: 'tool', tool_call_id: '1', name: 'weather', status: 'success', content: '{"sky":"clear"}' },
    { role: 'tool', tool_call_id: '2', name: 'weather', status: 'error', content: 'No city.' },
    { role: 'assistant', content: 'Clear.' },
  ])
})

test('a call without a result is left out, and so is an answer without text', async () => {
  const stopped: Message = {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'They ask.' },
      { type: 'tool-weather', toolCallId: '1', state: 'input-available', input: { city: 'Lisbon' } },
    ],
  }
  expect(await chatMessages([question, stopped])).toEqual([{ role: 'user', content: 'Lisbon?' }])
})

test('files are blocks with their type and their bytes', async () => {
  const message: Message = {
    id: 'u1',
    role: 'user',
    parts: [
      {
        type: 'file',
        mediaType: 'application/pdf',
        url: 'data:application/pdf;base64,JVBERg==',
        filename: 'a.pdf',
      },
      { type: 'text', text: 'Read this.' },
    ],
  }
  expect(await chatMessages([message])).toEqual([
    {
      role: 'user',
      content: [
        {
          type: 'file',
          source_type: 'base64',
          mime_type: 'application/pdf',
          data: 'JVBERg==',
          metadata: { filename: 'a.pdf', name: 'a.pdf' },
        },
        { type: 'text', text: 'Read this.' },
      ],
    },
  ])
})

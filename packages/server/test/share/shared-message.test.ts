import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { sharedMessage } from '../../src/http/share/copy-messages.ts'

test('a shared message has what the page draws, and nothing that is only for its owner', () => {
  const message: Message = {
    id: 'answer',
    role: 'assistant',
    metadata: {
      senderName: 'Assistant',
      receiverName: 'ada',
      status: 'finished',
      createdAt: '2026-11-16T12:00:00.000Z',
      channel: 'telegram',
      senderId: '4711',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3, cost: 0.5 },
      customer: 'a field of the application',
    },
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'Hello', providerMetadata: { openai: { itemId: 'secret' } } },
      { type: 'data-invoice', data: { total: 12 } },
      { type: 'data-step', data: { number: 1, toolCallId: 'call', status: 'completed' } },
      {
        type: 'tool-mail',
        toolCallId: 'call',
        state: 'output-denied',
        input: { to: 'ann' },
        callProviderMetadata: { openai: { itemId: 'secret' } },
        approval: { id: 'approval', approved: false, reason: 'No', signature: 'secret' },
      },
      { type: 'custom', kind: 'openai.compaction' },
    ],
  }
  expect(JSON.parse(JSON.stringify(sharedMessage(message)))).toEqual({
    id: 'answer',
    role: 'assistant',
    metadata: { senderName: 'Assistant', status: 'finished', createdAt: '2026-11-16T12:00:00.000Z' },
    parts: [
      { type: 'step-start' },
      { type: 'text', text: 'Hello' },
      { type: 'data-step', data: { number: 1, toolCallId: 'call', status: 'completed' } },
      {
        type: 'tool-mail',
        toolCallId: 'call',
        state: 'output-denied',
        input: { to: 'ann' },
        approval: { id: 'approval', approved: false, reason: 'No' },
      },
    ],
  })
})

test('the people who are shown are those that a message is for, and not the owner of the chat', () => {
  const parts = [{ type: 'text', text: 'Hello' }] as const
  const namesOf = (communicationType: 'user-to-user' | 'user-to-agent') => {
    const metadata = { senderName: 'ada', receiverName: 'Ann', communicationType }
    return sharedMessage({ id: 'question', role: 'user', metadata, parts }).metadata
  }
  expect(namesOf('user-to-user')).toEqual({ receiverName: 'Ann', communicationType: 'user-to-user' })
  expect(namesOf('user-to-agent')).toEqual({ communicationType: 'user-to-agent' })
})

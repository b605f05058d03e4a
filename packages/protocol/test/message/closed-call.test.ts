import { expect, test } from 'vitest'
import type { ToolPart } from '../../src/message/message.ts'
import { closedCallOf, closedCallText, outcomeUnknownText } from '../../src/message/tool-call.ts'

const call = { type: 'tool-pay', toolCallId: 'call' } as const

test.each<[string, ToolPart, 'cut' | 'unknown' | undefined]>([
  ['fails', { ...call, state: 'output-error', errorText: 'No money.' }, undefined],
  ['is denied', { ...call, state: 'output-denied', approval: { id: 'a', reason: 'Too much.' } }, undefined],
  ['runs', { ...call, state: 'input-available', errorText: closedCallText('no.') }, undefined],
  ['is cut off', { ...call, state: 'output-error', errorText: closedCallText('Stopped.') }, 'cut'],
  [
    'is cut off while it waits for a decision',
    { ...call, state: 'output-denied', approval: { id: 'a', reason: closedCallText('Stopped.') } },
    'cut',
  ],
  ['may have had an effect', { ...call, state: 'output-error', errorText: outcomeUnknownText }, 'unknown'],
])('a call that %s is told apart from one that the server closed', (_name, part, type) => {
  expect(closedCallOf(part)?.type).toBe(type)
})

test('the reason is told without the word that marks a closed call', () => {
  const part: ToolPart = { ...call, state: 'output-error', errorText: closedCallText('You stopped it.') }
  expect(closedCallOf(part)?.reason).toBe('You stopped it.')
})

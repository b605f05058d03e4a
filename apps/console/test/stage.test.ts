import type { Message, ToolPart } from '@throughline/protocol'
import { closedCallText, outcomeUnknownText } from '@throughline/protocol/internal'
import { expect, test } from 'vitest'
import { type Stage, stageOf, stageOfDelegation } from '../src/parts/stage.ts'

const call = { type: 'tool-subAgent', toolCallId: 'call' } as const
const approval = { id: 'approval' }

test.each<[Stage, Stage, ToolPart]>([
  ['preparing', 'cut', { ...call, state: 'input-streaming' }],
  ['waiting', 'cut', { ...call, state: 'approval-requested', approval }],
  ['running', 'cut', { ...call, state: 'approval-responded', approval }],
  ['running', 'cut', { ...call, state: 'input-available' }],
  ['running', 'cut', { ...call, state: 'output-available', preliminary: true }],
  ['done', 'done', { ...call, state: 'output-available' }],
  ['failed', 'failed', { ...call, state: 'output-error', errorText: 'No.' }],
  ['denied', 'denied', { ...call, state: 'output-denied', approval }],
  ['cut', 'cut', { ...call, state: 'output-error', errorText: closedCallText('Stopped.') }],
  ['unknown', 'unknown', { ...call, state: 'output-error', errorText: outcomeUnknownText }],
])('a call is %s in a live message, and %s when the message has ended', (live, ended, part) => {
  expect(stageOf(part, true)).toBe(live)
  expect(stageOf(part, false)).toBe(ended)
})

const message = (metadata: Message['metadata']): Message => ({
  id: 'm',
  role: 'assistant',
  parts: [],
  metadata,
})
const refused = (code: string): ToolPart => ({
  ...call,
  state: 'output-available',
  output: { ok: false, code, message: 'No.' },
})

test('a delegation that was refused, empty or cut is not done', () => {
  expect(stageOfDelegation(refused('NOT_FOUND'), undefined, true)).toBe('refused')
  expect(stageOfDelegation(refused('INTERRUPTED'), undefined, true)).toBe('cut')
  expect(stageOfDelegation(refused('EMPTY'), message({ status: 'finished' }), true)).toBe('empty')
  expect(stageOfDelegation(refused('FAILED'), message({ status: 'failed' }), true)).toBe('failed')
  expect(stageOfDelegation(refused('STOPPED'), message({ status: 'interrupted' }), true)).toBe('cut')
  const done: ToolPart = { ...call, state: 'output-available', output: { ok: true } }
  expect(stageOfDelegation(done, message({ status: 'finished' }), true)).toBe('done')
})

import type { Message } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { checkDelegates } from '../src/scenarios/check-delegates.ts'

type Status = NonNullable<Message['metadata']>['status']

function check(caller: Status, delegate: Status) {
  const parent = { messageId: 'answer', toolCallId: 'call' }
  const messages: readonly Message[] = [
    { id: 'answer', role: 'assistant', parts: [], metadata: { status: caller } },
    { id: 'delegate', role: 'assistant', parts: [], metadata: { status: delegate, parent } },
  ]
  return checkDelegates('chat', messages)
}

test('a sub-agent that did not finish is lost if its caller finished', () => {
  expect(check('finished', 'finished')).toEqual([])
  expect(check('stopped', 'stopped')).toEqual([])
  expect(check('finished', 'interrupted')).toMatchObject([{ kind: 'lost', invariant: 'D4', chatId: 'chat' }])
})

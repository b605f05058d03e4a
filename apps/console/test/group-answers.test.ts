import type { Message } from '@throughline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupAnswers, type MessageGroup } from '../src/messages/group-answers.ts'

/** Each message is a person's or an agent's (-1), or works for the message at an index, or for one that is not there. */
const chats = fc.array(
  fc.array(fc.record({ id: fc.integer({ min: 0, max: 12 }), parent: fc.integer({ min: -8, max: 12 }) }), {
    maxLength: 10,
  }),
  { maxLength: 8 },
)

test('groups that are made step by step equal groups that are made at once, whatever changes', () => {
  fc.assert(
    fc.property(chats, fc.boolean(), (states, hasVersions) => {
      const known = new Map<string, Message>()
      let groups: readonly MessageGroup[] = []
      for (const state of states) {
        const messages = messagesFrom(state, known)
        const versions = new Map(hasVersions ? messages.slice(0, 1).map(({ id }) => [id, ['0', id]]) : [])
        groups = groupAnswers({ messages, versions }, groups)
        expect(groups).toEqual(groupAnswers({ messages, versions }, []))
      }
    }),
  )
})

test('every message is in one group, in order, and sub-agents are in the group of the answer at the top', () => {
  const messages = [user('u1'), answer('a1'), sub('s1', 'a1'), user('u2'), sub('s2', 's1'), sub('s3', 'gone')]
  const groups = groupAnswers({ messages, versions: new Map([['u2', ['u1', 'u2']]]) }, [])
  expect(groups.map(outline)).toEqual([
    ['u1', [], []],
    ['a1', ['s1', 's2'], []],
    ['u2', [], ['u1', 'u2']],
    ['s3', [], []],
  ])
})

test('a group that has not changed is the same object as before, also when messages before it are gone', () => {
  const versions = new Map<string, readonly string[]>()
  const messages = [user('u1'), answer('a1'), sub('s1', 'a1'), user('u2')]
  const before = groupAnswers({ messages, versions }, [])
  const [u1, a1, u2] = before
  const added = groupAnswers({ messages: [...messages, answer('a2')], versions }, before)
  expect([added[0] === u1, added[1] === a1, added[2] === u2]).toEqual([true, true, true])
  const helped = groupAnswers({ messages: [...messages, sub('s2', 'a1')], versions }, before)
  expect([helped[0] === u1, helped[1] === a1, helped[2] === u2]).toEqual([true, false, true])
  const deleted = groupAnswers({ messages: messages.slice(1), versions }, before)
  expect([deleted[0] === a1, deleted[1] === u2]).toEqual([true, true])
})

function messagesFrom(
  state: readonly { readonly id: number; readonly parent: number }[],
  known: Map<string, Message>,
): readonly Message[] {
  const ids = new Map(state.map(({ id, parent }) => [id, parent]))
  return [...ids].map(([id, parent]) => {
    const key = `${id} ${parent}`
    const message = known.get(key) ?? (parent < 0 ? user(`${id}`) : sub(`${id}`, `${parent}`))
    known.set(key, message)
    return message
  })
}

function outline({ message, subAgents, versions }: MessageGroup) {
  return [message.id, subAgents.map(({ id }) => id), versions]
}

function user(id: string): Message {
  return { id, role: 'user', parts: [] }
}

function answer(id: string): Message {
  return { id, role: 'assistant', parts: [] }
}

function sub(id: string, messageId: string): Message {
  return {
    id,
    role: 'assistant',
    parts: [],
    metadata: { parent: { messageId, toolCallId: 'call' }, senderName: 'Helper' },
  }
}

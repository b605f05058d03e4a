import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allVersions,
  branchLengths,
  branchOf,
  branchUpTo,
  lastIn,
  previousOf,
  tipsOf,
} from '../../src/message/branches.ts'
import { chatTree, messagesOf, type Node, type Outline, speakers } from './chat-tree.ts'

const q1: Outline = { id: 'q1', role: 'user' }
const a1: Outline = { id: 'a1', role: 'assistant' }
const q2: Outline = { id: 'q2', role: 'user' }
const a2: Outline = { id: 'a2', role: 'assistant' }
const plain = [q1, a1, q2, a2]

describe('a chat without branches', () => {
  test('is its only branch, and answered as the same array', () => {
    expect(branchOf(plain)).toBe(plain)
    expect(branchOf(plain, 'q1')).toBe(plain)
    expect(branchOf(plain, 'unknown')).toBe(plain)
    expect(tipsOf(plain)).toEqual([a2])
    expect(allVersions(plain).size).toBe(0)
  })

  test('is cut where a message stands', () => {
    expect(branchUpTo(plain, 'q2')).toEqual([q1, a1, q2])
    expect(branchUpTo(plain, 'q1')).toEqual([q1])
    expect(branchUpTo(plain, 'unknown')).toEqual([])
  })

  test('knows what follows what', () => {
    expect(plain.map(({ id }) => previousOf(plain, id))).toEqual(['', 'q1', 'a1', 'q2'])
    expect(previousOf(plain, 'unknown')).toBeUndefined()
    expect(lastIn(plain)).toBe('a2')
  })

  test('may be empty', () => {
    expect(branchOf([])).toEqual([])
    expect(branchUpTo([], '')).toEqual([])
    expect(tipsOf([])).toEqual([])
    expect(allVersions([]).size).toBe(0)
    expect(lastIn([])).toBe('')
  })
})

describe('another answer', () => {
  const other = following('a1b', 'q1')
  const chat = [...plain, other]

  test('takes the place of the first and of all that followed it', () => {
    expect(branchOf(chat)).toEqual([q1, other])
    expect(branchOf(chat, 'a1')).toEqual(plain)
    expect(branchOf(chat, 'q1')).toEqual([q1, other])
  })

  test('is a version of the first', () => {
    expect(Object.fromEntries(allVersions(chat))).toEqual({ a1: ['a1', 'a1b'], a1b: ['a1', 'a1b'] })
    expect(tipsOf(chat)).toEqual([a2, other])
  })

  test('is what the next message follows', () => {
    const next: Outline = { id: 'q3', role: 'user' }
    expect(previousOf([...chat, next], 'q3')).toBe('a1b')
    expect(branchOf([...chat, next])).toEqual([q1, other, next])
  })
})

describe('an edit', () => {
  test('of the first message shares nothing with what was there', () => {
    const edit: Outline = { id: 'q1b', role: 'user', metadata: { previousMessageId: '' } }
    const answer: Outline = { id: 'a1b', role: 'assistant' }
    const chat = [...plain, edit, answer]
    expect(branchOf(chat)).toEqual([edit, answer])
    expect(branchOf(chat, 'q1')).toEqual(plain)
    expect(allVersions(chat).get('q1')).toEqual(['q1', 'q1b'])
    expect(previousOf(chat, 'q1b')).toBe('')
  })

  test('of a later one keeps what came before it', () => {
    const edit: Outline = { id: 'q2b', role: 'user', metadata: { previousMessageId: 'a1' } }
    expect(branchOf([...plain, edit])).toEqual([q1, a1, edit])
    expect(allVersions([...plain, edit]).get('q2b')).toEqual(['q2', 'q2b'])
  })
})

test("a sub-agent's messages stand with the answer they worked for, at any depth", () => {
  const child = workingFor('s1', 'a1')
  const grandchild = workingFor('s2', 's1')
  const childOfOther = workingFor('s3', 'a1b')
  const chat = [q1, a1, child, grandchild, following('a1b', 'q1'), childOfOther]
  expect(branchOf(chat).map(({ id }) => id)).toEqual(['q1', 'a1b', 's3'])
  expect(branchOf(chat, 'a1').map(({ id }) => id)).toEqual(['q1', 'a1', 's1', 's2'])
  expect(previousOf(chat, 's1')).toBeUndefined()
  expect(allVersions(chat).get('s1')).toBeUndefined()
  expect(lastIn(chat)).toBe('a1b')
})

describe('whatever people do in a chat', () => {
  test('the branch up to a message is exactly what it follows, and those who worked for it', () => {
    checkTrees(nodes => {
      const lengths = branchLengths(messagesOf(nodes))
      for (const { message } of speakers(nodes)) {
        const path = pathIn(nodes, message.id)
        expect(branchUpTo(messagesOf(nodes), message.id)).toEqual(path)
        expect(lengths.get(message.id)).toBe(path.length)
      }
      expect(lengths.size).toBe(speakers(nodes).length)
    })
  })

  test('the branch through a message goes on to the newest that follows it; by default to the newest of all', () => {
    checkTrees(nodes => {
      const messages = messagesOf(nodes)
      const newest = speakers(nodes).at(-1)?.message.id ?? ''
      expect(branchOf(messages)).toEqual(pathIn(nodes, newest))
      for (const { message } of speakers(nodes)) {
        const tip = speakers(nodes).findLast(node => pathIn(nodes, node.message.id).includes(message))
        expect(branchOf(messages, message.id)).toEqual(pathIn(nodes, tip?.message.id ?? ''))
      }
    })
  })

  test('every message is on a branch, and every branch ends in a tip that nothing follows', () => {
    checkTrees(nodes => {
      const messages = messagesOf(nodes)
      const tips = tipsOf(messages)
      const shown = new Set(tips.flatMap(({ id }) => branchOf(messages, id)))
      expect(messages.filter(message => shown.has(message))).toEqual(messages)
      const followed = new Set(speakers(nodes).map(({ follows }) => follows))
      const ends = speakers(nodes).filter(({ message }) => !followed.has(message.id))
      expect(tips).toEqual(messagesOf(ends))
      expect(tips.at(-1)).toBe(speakers(nodes).at(-1)?.message)
    })
  })

  test('the versions of a message are those of its role that follow the same', () => {
    checkTrees(nodes => {
      const messages = messagesOf(nodes)
      const all = allVersions(messages)
      for (const { message, follows } of speakers(nodes)) {
        const same = speakers(nodes).filter(
          node => node.follows === follows && node.message.role === message.role,
        )
        const ids = same.map(node => node.message.id)
        expect(all.get(message.id)).toEqual(ids.length > 1 ? ids : undefined)
        expect(previousOf(messages, message.id)).toBe(follows)
      }
      expect([...all.keys()].every(id => messages.some(message => message.id === id))).toBe(true)
    })
  })

  test('a chat in which nobody ever went back is answered as the same array', () => {
    checkTrees(nodes => {
      const messages = messagesOf(nodes).filter(({ metadata }) => metadata?.previousMessageId === undefined)
      expect(branchOf(messages)).toBe(messages)
    })
  })
})

test('damaged data is answered with some of its messages in their order, at once and without an error', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', '', 'unknown')
  const damaged: fc.Arbitrary<readonly Outline[]> = fc.array(
    fc.record({
      id,
      role: fc.constantFrom('user' as const, 'assistant', 'system'),
      metadata: fc.record(
        { previousMessageId: id, parent: fc.record({ messageId: id, toolCallId: fc.constant('call') }) },
        { requiredKeys: [] },
      ),
    }),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(damaged, id, (messages, asked) => {
      const answers = [branchOf(messages), branchOf(messages, asked), branchUpTo(messages, asked)]
      for (const answer of [...answers, tipsOf(messages)])
        expect(messages.filter(message => answer.includes(message))).toEqual(answer)
      for (const ids of allVersions(messages).values())
        expect(ids.every(each => messages.some(message => message.id === each))).toBe(true)
      expect(() => [previousOf(messages, asked), lastIn(messages), branchLengths(messages)]).not.toThrow()
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['a message that follows itself', [following('a', 'a')]],
  ['two that follow each other', [following('a', 'b'), following('b', 'a')]],
  ['one that follows a later one', [following('a', 'b'), following('b', '')]],
  ['one that follows what is not there', [q1, following('a', 'gone')]],
  ['a sub-agent that works for itself', [q1, following('a', 'q1'), workingFor('s', 's')]],
  ['sub-agents that work for each other', [following('a', ''), workingFor('s', 't'), workingFor('t', 's')]],
])('%s does not keep its newest message from being shown', (_, messages: readonly Outline[]) => {
  const newest = messages.findLast(({ metadata }) => metadata?.parent === undefined)
  expect(branchOf(messages).at(-1)).toBe(newest)
})

test('a long chat with many branches is read in one pass each', () => {
  const long = Array.from({ length: 20_000 }, (_, index): Outline[] => [
    { id: `q${index}`, role: 'user' },
    { id: `a${index}`, role: 'assistant' },
    following(`b${index}`, `q${index}`),
  ]).flat()
  expect(branchOf(long)).toHaveLength(40_000)
  expect(allVersions(long).size).toBe(40_000)
  expect(tipsOf(long)).toHaveLength(20_001)
  expect(branchLengths(long).get('b19999')).toBe(40_000)
})

function checkTrees(check: (nodes: readonly Node[]) => void): void {
  fc.assert(fc.property(chatTree, check), { numRuns: 300 })
}

/** Returns the path to a message by what its nodes say, with the messages of sub-agents, in order. */
function pathIn(nodes: readonly Node[], id: string): readonly Outline[] {
  const node = nodes.find(({ message }) => message.id === id)
  if (node === undefined) return []
  const before = node.follows === '' ? [] : pathIn(nodes, node.follows)
  const on = new Set([...before, ...workersOf(nodes, node)])
  return messagesOf(nodes).filter(message => on.has(message))
}

function workersOf(nodes: readonly Node[], { message }: Node): readonly Outline[] {
  const children = nodes.filter(({ worksFor }) => worksFor === message.id)
  return [message, ...children.flatMap(child => workersOf(nodes, child))]
}

function following(id: string, previousMessageId: string): Outline {
  return { id, role: 'assistant', metadata: { previousMessageId } }
}

function workingFor(id: string, messageId: string): Outline {
  return { id, role: 'assistant', metadata: { parent: { messageId, toolCallId: 'call' } } }
}

import { branchUpTo, lastIn, type Message, previousOf, rootsOf } from '@throughline/protocol'
import { anyMessageTree } from '@throughline/testing/store/any-message-tree'
import { adasChat, answer, endOf, startOf, testRun, userMessage } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'

const run = testRun('run', { userMessageId: 'm0' })
const noLimits = { maxMessages: 1_000, maxBytes: 1_000_000 }
const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id)

async function save(store: Store, messages: readonly Message[], by = run): Promise<void> {
  await store.runs.claim(by, startOf(by))
  await store.runs.end(by, endOf(by, messages, { seq: 1 }))
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('the store finds branches, previous messages and roots exactly as the protocol does', async () => {
    await using context = await temporaryStore()
    const { store } = context
    let count = 0
    await fc.assert(
      fc.asyncProperty(anyMessageTree, async tree => {
        count += 1
        const chat = testRun(`run-${count}`, { userMessageId: 'm0', chatId: `chat-${count}` })
        await save(store, tree, chat)
        const roots = rootsOf(tree)
        expect(await store.messages.last(chat)).toBe(lastIn(tree))
        for (const { id } of tree) {
          const branch = branchUpTo(tree, id).filter(message => !roots.has(message.id))
          expect((await store.messages.branch(chat, id, noLimits)).messages).toEqual(branch)
          expect(await store.messages.previous(chat, id)).toBe(previousOf(tree, id))
          expect(await store.messages.root(chat, id)).toBe(roots.get(id) ?? id)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('the question of a run that goes on follows the last message, also when a sub-agent has written since', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await save(store, [userMessage('m0'), answer('run-answer', 'Yes.')])
    const next = testRun('next', { userMessageId: 'question' })
    await store.runs.claim(next, startOf(next))
    const parent = { messageId: 'next-answer', toolCallId: 'call' }
    const message: Message = { ...answer('sub', 'Sub'), metadata: { parent } }
    await store.runs.save(next, { message, runId: next.id, seq: 9 })
    expect(await store.messages.last(adasChat)).toBe('question')
    expect(await store.messages.last(adasChat, 'assistant')).toBe('run-answer')
    expect(await store.messages.previous(adasChat, 'question')).toBe('run-answer')
    expect(await store.messages.root(adasChat, 'sub')).toBe('next-answer')
    const { messages, hasOlder } = await store.messages.branch(adasChat, 'question', noLimits)
    expect(idsOf(messages)).toEqual(['m0', 'run-answer', 'question'])
    expect(hasOlder).toBe(false)
  })

  test('a branch is cut at its oldest messages, by count and by bytes, and the newest one is always there', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await save(store, [
      userMessage('m0'),
      answer('m1', 'x'.repeat(500)),
      userMessage('m2'),
      answer('m3', 'Yes.'),
    ])
    const branch = async (limits: Partial<typeof noLimits>) => {
      const { messages, hasOlder } = await store.messages.branch(adasChat, 'm3', { ...noLimits, ...limits })
      return [...idsOf(messages), hasOlder]
    }
    expect(await branch({ maxMessages: 4 })).toEqual(['m0', 'm1', 'm2', 'm3', false])
    expect(await branch({ maxMessages: 3 })).toEqual(['m1', 'm2', 'm3', true])
    expect(await branch({ maxBytes: 300 })).toEqual(['m2', 'm3', true])
    expect(await branch({ maxBytes: 1 })).toEqual(['m3', true])
  })

  test('messages that follow each other in a circle have a branch that ends', async () => {
    await using context = await temporaryStore()
    const { store } = context
    const circle = (id: string, previousMessageId: string): Message => ({
      ...userMessage(id),
      metadata: { previousMessageId },
    })
    await save(store, [circle('m0', 'm1'), circle('m1', 'm0')])
    const { messages } = await store.messages.branch(adasChat, 'm1', noLimits)
    expect(idsOf(messages)).toEqual(['m0', 'm1'])
  })

  test('a chat without messages, and an unknown message, give nothing', async () => {
    await using context = await temporaryStore()
    const { messages } = context.store
    expect(await messages.last(adasChat)).toBe('')
    expect(await messages.previous(adasChat, 'm0')).toBeUndefined()
    expect(await messages.root(adasChat, 'm0')).toBeUndefined()
    expect(await messages.branch(adasChat, 'm0', noLimits)).toEqual({ messages: [], hasOlder: false })
  })
})

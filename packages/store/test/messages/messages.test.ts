import type { Message, Part } from '@throughline/protocol'
import {
  ada,
  adasChat,
  answer,
  bob,
  endOf,
  startOf,
  testRun,
  textParts,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessages, saveMessage } from '../../src/messages/messages.ts'
import type { Store } from '../../src/open/open-store.ts'
import { createRuns } from '../../src/runs/create-runs.ts'

const run = testRun('run')
const noRemovals = {
  has: () => false,
  waitWhileRemoving: async () => undefined,
  waitUntilRemoved: async () => false,
}

async function load(store: Store): Promise<readonly Message[] | undefined> {
  return (await store.messages.load(adasChat))?.messages.map(({ message }) => message)
}

describe.each(temporaryStores)('on $name', ({ temporaryStore, temporaryDatabase }) => {
  test('messages come back as they were saved, in the order of the log', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const whole: Message[] = [userMessage('question'), answer('run-answer', 'Yes.'), answer('aa-sub', 'Sub')]
    const end = endOf(run, whole, { seq: 4 })
    await store.runs.end(run, { ...end, messages: end.messages.toReversed() })
    expect(await load(store)).toEqual(whole)
    expect(await store.messages.load(adasChat)).toMatchObject({
      savedSeq: 7,
      messages: whole.map(() => ({ runId: 'run' })),
    })
  })

  test('of many ids, those that the messages of this chat have are known', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const unknown = Array.from({ length: 1_000 }, (_, index) => `unknown-${index}`)
    expect(await store.messages.known(adasChat, [...unknown, 'question', 'question', '"'])).toEqual(
      new Set(['question']),
    )
    expect(await store.messages.known({ ...adasChat, ownerId: bob }, ['question'])).toEqual(new Set())
    expect(await store.messages.known(adasChat, [])).toEqual(new Set())
  })

  test('the user message of a run that goes on is there, and it is last', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    expect(await load(store)).toEqual([userMessage('question')])
    await store.runs.end(run, endOf(run, [userMessage('question'), answer('run-answer', 'Yes.')], { seq: 1 }))
    const next = testRun('next', { userMessageId: 'a-later-question' })
    await store.runs.claim(next, startOf(next))
    expect((await load(store))?.map(({ id }) => id)).toEqual(['question', 'run-answer', 'a-later-question'])
  })

  test('parts keep their order beyond ten, and ids that differ only in case are different messages', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const texts = Array.from({ length: 25 }, (_, index) => `part ${index}`)
    const whole = [answer('m', ...texts), answer('M', 'other')]
    await store.runs.end(run, endOf(run, whole, { seq: 1 }))
    expect((await load(store))?.slice(0, 2)).toEqual(whole)
  })

  test('saving a message twice is the same as once', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const message = { message: answer('sub', 'One', 'Two'), runId: run.id, seq: 3 }
    await store.runs.save(run, message)
    const once = await load(store)
    await store.runs.save(run, message)
    expect(await load(store)).toEqual(once)
  })

  test('a fuller version replaces a shorter one, and a shorter one leaves no surplus parts', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const versions: Message[] = [
      { ...answer('sub', 'Half a'), metadata: { status: 'streaming' } },
      answer('sub', 'Half a sentence.', 'And more.', 'And more.'),
      answer('sub', 'Half a sentence, no more.'),
      { id: 'sub', role: 'assistant', parts: [] },
    ]
    for (const message of versions) {
      await store.runs.save(run, { message, runId: run.id, seq: 3 })
      expect((await load(store))?.[0]).toEqual(message)
    }
  })

  test('whatever parts and metadata were saved can be loaded', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await store.runs.claim(run, startOf(run))
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) }),
      fc.record({ type: fc.constant('data-any'), data: fc.jsonValue() }),
    )
    const metadata = fc.record({
      senderName: fc.string({ unit: 'grapheme' }),
      createdAt: fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02T03:04:05+02:00', 'yesterday'),
      // Providers that do not count say so in many ways.
      usage: fc.record({
        inputTokens: fc.constantFrom(0, 12, -1, Number.NaN),
        outputTokens: fc.nat(),
        totalTokens: fc.nat(),
      }),
      own: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), metadata, async (parts, metadata) => {
        const message: Message = { id: 'sub', role: 'assistant', parts, metadata }
        await store.runs.save(run, { message, runId: run.id, seq: 3 })
        expect(JSON.stringify((await load(store))?.[0])).toBe(
          JSON.stringify({ id: 'sub', role: 'assistant', parts, metadata }),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('a message is found in one version, also when another is being saved', async () => {
    await using database = await temporaryDatabase()
    const { sql } = database
    await createRuns(database, noRemovals).claim(run, startOf(run))
    const versions = [
      { ...userMessage('question'), metadata: { senderName: 'before' }, parts: textParts('before') },
      { ...userMessage('question'), metadata: { senderName: 'after' }, parts: textParts('after') },
    ]
    const save = (message: Message | undefined) =>
      message && sql.write(saveMessage(database, run, { message, runId: run.id, seq: 1 }))
    await save(versions[0])
    const busy = {
      write: sql.write.bind(sql),
      close: sql.close.bind(sql),
      async read(statements: Parameters<typeof sql.read>[0]) {
        const rows = await sql.read(statements)
        await save(versions[1])
        return rows
      },
    }
    const found = await createMessages({ ...database, sql: busy }).find(adasChat, run.userMessageId)
    expect(found).toEqual(versions[0])
  })

  test('a damaged row is a named error, never a wrong message', async () => {
    await using database = await temporaryDatabase()
    const { sql } = database
    await createRuns(database, noRemovals).claim(run, startOf(run))
    const { find, load, outline } = createMessages(database)
    for (const damage of [
      'parts set body = \'{"type":\'',
      "parts set body = '[]'",
      "messages set metadata = 'null'",
    ]) {
      await sql.write([{ sql: `update ${damage}`, sets: [[]] }])
      await expect(find(adasChat, run.userMessageId)).rejects.toMatchObject({
        name: 'SqlError',
        code: 'damaged',
      })
      await expect(load(adasChat)).rejects.toThrow('message question is damaged')
      if (damage.startsWith('messages'))
        await expect(outline(adasChat)).rejects.toThrow('message question is damaged')
      await sql.write(saveMessage(database, run, startOf(run).userMessage))
    }
    expect(await find(adasChat, run.userMessageId)).toEqual(userMessage('question'))
  })

  test('a message that is not there is not found', async () => {
    await using context = await temporaryStore()
    const { messages, runs } = context.store
    expect(await messages.load(adasChat)).toBeUndefined()
    await runs.claim(run, startOf(run))
    expect(await messages.find(adasChat, run.userMessageId)).toEqual(userMessage('question'))
    expect(await messages.find(adasChat, run.answerId)).toBeUndefined()
    expect(
      await messages.find(
        { ownerId: ada, chatId: testRun('r', { chatId: 'other' }).chatId },
        run.userMessageId,
      ),
    ).toBeUndefined()
  })

  test('the outline is every message in its order without its parts, the one that waits last', async () => {
    await using context = await temporaryStore()
    const { messages, runs } = context.store
    expect(await messages.outline(adasChat)).toEqual([])
    await runs.claim(run, startOf(run))
    const branch = { ...answer('zz', 'Sub'), metadata: { previousMessageId: '' } }
    const whole = [userMessage('question'), answer('run-answer', 'Yes.', 'No.'), branch]
    const end = endOf(run, whole, { seq: 4 })
    await runs.end(run, { ...end, messages: end.messages.toReversed() })
    const next = testRun('next', { userMessageId: 'a-later-question' })
    await runs.claim(next, startOf(next))
    await runs.save(next, { message: answer('sub', 'Done.'), runId: next.id, seq: 9 })
    expect(await messages.outline(adasChat)).toEqual([
      { id: 'question', role: 'user', metadata: { senderName: 'Ada' } },
      { id: 'run-answer', role: 'assistant', metadata: { status: 'finished' } },
      { id: 'zz', role: 'assistant', metadata: { previousMessageId: '' } },
      { id: 'sub', role: 'assistant', metadata: { status: 'finished' } },
      { id: 'a-later-question', role: 'user', metadata: { senderName: 'Ada' } },
    ])
  })
})

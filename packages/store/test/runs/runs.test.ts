import {
  ada,
  adasChat,
  answer,
  at,
  endOf,
  startOf,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'
import { createRuns } from '../../src/runs/create-runs.ts'
import type { Run } from '../../src/runs/runs.ts'

const run = testRun('run')
const noRemovals = {
  has: () => false,
  waitWhileRemoving: async () => undefined,
  waitUntilRemoved: async () => false,
}

describe.each(temporaryStores)('on $name', ({ temporaryStore, temporaryDatabase }) => {
  test('a chat is claimed by exactly one of those who ask at once', async () => {
    await using context = await temporaryStore()
    const { messages, runs } = context.store
    const contenders = Array.from({ length: 8 }, (_, index) =>
      testRun(`run-${index}`, { userMessageId: `question-${index}` }),
    )
    const claims = await Promise.all(contenders.map(contender => runs.claim(contender, startOf(contender))))
    expect(claims.filter(Boolean)).toHaveLength(1)
    const winner = contenders[claims.indexOf(true)]
    expect(await runs.active(adasChat)).toEqual(winner)
    expect(await runs.unfinished()).toEqual([winner])
    // Who lost has left nothing behind.
    const saved = await messages.load(adasChat)
    expect(saved?.messages.map(({ message }) => message.id)).toEqual([winner?.userMessageId])
  })

  test('a claim that fails changes nothing of the chat', async () => {
    await using context = await temporaryStore()
    const { chats, messages, runs } = context.store
    await runs.claim(run, startOf(run, { title: 'First' }))
    const before = await chats.get(adasChat)
    const late = testRun('late', { minute: 9 })
    expect(await runs.claim(late, startOf(late, { title: 'Late', text: 'Another body' }))).toBe(false)
    expect(await chats.get(adasChat)).toEqual(before)
    expect(await messages.find(adasChat, run.userMessageId)).toEqual(userMessage('question'))
    expect(await runs.get(ada, late.id)).toBeUndefined()
  })

  test('other chats of the owner can be claimed meanwhile, and the same chat after the end', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    const elsewhere = testRun('elsewhere', { chatId: 'other' })
    const next = testRun('next', { userMessageId: 'more' })
    expect(await runs.claim(run, startOf(run))).toBe(true)
    expect(await runs.claim(elsewhere, startOf(elsewhere))).toBe(true)
    expect(await runs.claim(next, startOf(next))).toBe(false)
    expect(await runs.end(run, endOf(run, [], { seq: 0 }))).toBe(true)
    expect(await runs.active(adasChat)).toBeUndefined()
    expect(await runs.claim(next, startOf(next))).toBe(true)
  })

  test('a run has exactly one end, and the rows are those of whoever ended it', async () => {
    await using context = await temporaryStore()
    const { chats, messages, runs } = context.store
    await runs.claim(run, startOf(run))
    const ends = ['one', 'two', 'three'].map((text, index) =>
      endOf(run, [userMessage('question'), answer('run-answer', text)], { seq: index, minute: index + 1 }),
    )
    const results = await Promise.all(ends.map(end => runs.end(run, end)))
    expect(results.filter(Boolean)).toHaveLength(1)
    const winner = results.indexOf(true)
    expect(await runs.end(run, { ...endOf(run, [], { seq: 50 }), status: 'failed' })).toBe(false)
    expect(await runs.get(ada, run.id)).toEqual({ ...run, status: 'finished' })
    expect(await messages.load(adasChat)).toMatchObject({
      savedSeq: winner + 2,
      messages: [
        { message: userMessage('question') },
        { message: answer('run-answer', ['one', 'two', 'three'][winner] ?? '') },
      ],
    })
    expect(await chats.get(adasChat)).toMatchObject({ updatedAt: at(winner + 1) })
  })

  test('every kind of end is kept', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    for (const status of ['finished', 'stopped', 'failed', 'interrupted', 'limit'] as const) {
      const ending = testRun(`run-${status}`, { userMessageId: `question-${status}` })
      await runs.claim(ending, startOf(ending))
      await runs.end(ending, { ...endOf(ending, [], { seq: 0 }), status })
      expect(await runs.get(ada, ending.id)).toEqual({ ...ending, status })
    }
    expect(await runs.unfinished()).toEqual([])
  })

  test('a message of a run that goes on is saved; after the end it is refused and the rows stay', async () => {
    await using context = await temporaryStore()
    const { messages, runs } = context.store
    await runs.claim(run, startOf(run))
    const sub = { message: answer('sub', 'Done.'), runId: run.id, seq: 2 }
    await runs.save(run, sub)
    expect(await runs.active(adasChat)).toEqual(run)
    await runs.end(run, endOf(run, [userMessage('question')], { seq: 1 }))
    const saved = await messages.load(adasChat)
    const late = { ...sub, message: answer('sub', 'Too late.') }
    await expect(runs.save(run, late)).rejects.toMatchObject({ code: 'no-effect' })
    expect(await messages.load(adasChat)).toEqual(saved)
  })

  test('an answer’s id is taken from the claim on, in its own chat only', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await runs.claim(run, startOf(run))
    expect(await runs.ofAnswer(adasChat, run.answerId)).toMatchObject({ id: run.id })
    expect(await runs.ofAnswer(adasChat, run.userMessageId)).toBeUndefined()
    expect(
      await runs.ofAnswer({ ownerId: ada, chatId: testRun('r', { chatId: 'other' }).chatId }, run.answerId),
    ).toBeUndefined()
  })

  test('a message that is there already is not claimed again, and stays as it was', async () => {
    await using context = await temporaryStore()
    const { runs, messages } = context.store
    await runs.claim(run, startOf(run))
    await runs.end(run, endOf(run, [userMessage('question')], { seq: 1 }))
    const saved = await messages.load(adasChat)
    const again = testRun('run-again', { minute: 2 })
    expect(await runs.claim(again, startOf(again))).toBe(false)
    expect(await messages.load(adasChat)).toEqual(saved)
    expect(await runs.ofUserMessage(adasChat, run.userMessageId)).toMatchObject({ id: run.id })
  })

  test('a message that is there already can be answered anew: its row stays as it was, and so does the first answer', async () => {
    await using context = await temporaryStore()
    const { runs, messages } = context.store
    const saved = await claimAndEnd(context.store, run)
    const again = anotherRun('again')
    expect(await runs.claim(again, { ...startOf(again, { title: 'Late' }), userMessage: undefined })).toBe(
      true,
    )
    expect(await runs.active(adasChat)).toEqual(again)
    expect(await messages.load(adasChat)).toEqual(saved)
    await runs.end(again, endOf(again, [answer('again-answer', 'No.')], { seq: 3, minute: 4 }))
    expect(await messages.load(adasChat)).toEqual({
      savedSeq: 4,
      messages: [...(saved?.messages ?? []), { message: answer('again-answer', 'No.'), runId: again.id }],
    })
    expect(await context.store.chats.get(adasChat)).toMatchObject({ title: 'A title', updatedAt: at(4) })
  })

  test('the runs of a message are the first and the last that answered it, that of an answer the one that wrote it', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await claimAndEnd(context.store, run)
    // Ids and times in another order than the runs.
    const others = [
      anotherRun('zz', { minute: 0, afterSeq: 2 }),
      anotherRun('aa', { minute: 0, afterSeq: 5 }),
    ]
    for (const other of others) {
      await runs.claim(other, { ...startOf(other), userMessage: undefined })
      await runs.end(other, endOf(other, [answer(other.answerId, 'No.')], { seq: other.afterSeq }))
    }
    expect(await runs.ofUserMessage(adasChat, run.userMessageId)).toMatchObject({
      id: 'run',
      kind: 'answer',
    })
    expect(await runs.lastOfUserMessage(adasChat, run.userMessageId)).toMatchObject({ id: 'aa' })
    for (const other of [run, ...others])
      expect(await runs.ofAnswer(adasChat, other.answerId)).toEqual({ ...other, status: 'finished' })
  })

  test('a message cannot be answered anew while its chat is answering, nor in a chat that is not there', async () => {
    await using context = await temporaryStore()
    const { chats, runs } = context.store
    const again = anotherRun('again')
    expect(await runs.claim(again, { ...startOf(again), userMessage: undefined })).toBe(false)
    expect(await chats.get(adasChat)).toBeUndefined()
    await runs.claim(run, startOf(run))
    expect(await runs.claim(again, { ...startOf(again), userMessage: undefined })).toBe(false)
    expect(await runs.unfinished()).toEqual([run])
    expect(await runs.get(ada, again.id)).toBeUndefined()
  })

  test('an answer’s id is promised once, also when the run that has it has ended', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await claimAndEnd(context.store, run)
    const wanted = anotherRun('first').answerId
    for (const id of ['first', 'second']) {
      const other = { ...anotherRun(id), answerId: wanted }
      expect(await runs.claim(other, { ...startOf(other), userMessage: undefined })).toBe(id === 'first')
      await runs.end(other, endOf(other, [], { seq: 3 }))
    }
    const next = { ...testRun('next', { userMessageId: 'next' }), answerId: wanted }
    expect(await runs.claim(next, startOf(next))).toBe(false)
    expect(await runs.ofAnswer(adasChat, wanted)).toMatchObject({ id: 'first' })
    const elsewhere = { ...testRun('elsewhere', { chatId: 'other' }), answerId: wanted }
    expect(await runs.claim(elsewhere, startOf(elsewhere))).toBe(true)
  })

  test('a run can be taken over once per attempt, with what it needs to go on', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await runs.claim(run, { ...startOf(run), context: '{"from":"here"}' })
    await runs.noteUsage(run, '{"totalTokens":15}')
    expect(await runs.contextOf(run)).toBe('{"from":"here"}')
    const taken = await runs.takeOver(run)
    expect(taken).toEqual({
      run: { ...run, attempt: 1 },
      context: '{"from":"here"}',
      usage: '{"totalTokens":15}',
    })
    expect(await runs.takeOver(run)).toBeUndefined()
    expect(await runs.unfinished()).toEqual([{ ...run, attempt: 1 }])
  })

  test('whoever had a run before it was taken over can save nothing of it', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await runs.claim(run, startOf(run))
    const taken = await runs.takeOver(run)
    await runs.noteUsage(run, 'late')
    const late = { message: answer('late', 'Late.'), runId: run.id, seq: 2 }
    await expect(runs.save(run, late)).rejects.toMatchObject({ code: 'no-effect' })
    expect(await runs.end(run, endOf(run, [], { seq: 1 }))).toBe(false)
    expect(await runs.takeOver({ ...run, attempt: 1 })).toMatchObject({ usage: undefined })
    expect(await runs.end({ ...run, attempt: 2 }, endOf(run, [], { seq: 1 }))).toBe(true)
    expect(taken?.run.attempt).toBe(1)
  })

  test('the context of a run is deleted when the run ends, and an ended run cannot be taken over', async () => {
    await using database = await temporaryDatabase()
    const runs = createRuns(database, noRemovals)
    await runs.claim(run, { ...startOf(run), context: 'private' })
    await runs.end(run, endOf(run, [], { seq: 1 }))
    expect(await runs.takeOver(run)).toBeUndefined()
    const [rows] = await database.sql.read([{ sql: 'select context from runs', sets: [[]] }])
    expect(rows).toEqual([{ context: null }])
  })

  function anotherRun(id: string, change: { minute?: number; afterSeq?: number } = {}): Run {
    const { minute = 2, afterSeq = 2 } = change
    return { ...testRun(id, { minute }), afterSeq, kind: 'another-answer' }
  }

  /** A chat with a question and its answer. */
  async function claimAndEnd({ runs, messages }: Store, first: Run) {
    await runs.claim(first, startOf(first))
    const whole = [userMessage(first.userMessageId), answer(first.answerId, 'Yes.')]
    await runs.end(first, endOf(first, whole, { seq: 1 }))
    return messages.load(adasChat)
  }
})

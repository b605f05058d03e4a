import type { Run } from '@throughline/store'
import { adasChat, at, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { expect, test } from 'vitest'
import type { Submission } from '../../src/admission/submission.ts'
import { OperatorDesk } from '../../src/channels/operator-desk.ts'
import { type OperatorOptions, sayAsOperator } from '../../src/channels/say-as-operator.ts'

test('an answer that waits is told what to say, and nothing is begun', async () => {
  await using chat = await startChat()
  const waiting = await chat.begin('waiting')
  const said = chat.say('Hello.')
  await expect.poll(() => chat.textOf(waiting)).toBeTruthy()
  expect(await promiseState(said)).toEqual(unsettled)
  await chat.hear(waiting)
  expect((await said)?.id).toBe(waiting.id)
  expect(chat.submissions).toEqual([])
})

test('when nobody has written yet there is nothing to follow', async () => {
  await using chat = await startChat()
  expect(await chat.say('Hello.')).toBeUndefined()
  expect(chat.submissions).toEqual([])
})

test('what was stopped before a word was said is said in the next answer', async () => {
  await using chat = await startChat()
  const first = await chat.begin('first')
  const said = chat.say('Hello.')
  await expect.poll(() => chat.textOf(first)).toBeTruthy()
  // A new message came in: the answer ends without having begun, and the next one waits.
  await chat.end(first)
  const second = await chat.begin('second')
  await expect.poll(() => chat.textOf(second)).toBeTruthy()
  expect(await promiseState(said)).toEqual(unsettled)
  expect(await chat.textOf(first)).toBeUndefined()
  await chat.hear(second)
  expect((await said)?.id).toBe(second.id)
})

test('a second reply waits until the first has ended, and follows it', async () => {
  await using chat = await startChat()
  const waiting = await chat.begin('waiting')
  const first = chat.say('First.')
  await expect.poll(() => chat.textOf(waiting)).toBeTruthy()
  const second = chat.say('Second.')
  expect(await promiseState(second)).toEqual(unsettled)
  await chat.hear(waiting)
  await first
  expect(chat.submissions).toEqual([])
  await chat.end(waiting)
  await expect.poll(() => chat.submissions.length > 0).toBeTruthy()
  expect(chat.submissions).toMatchObject([
    { kind: 'follow-up', message: { id: waiting.userMessageId }, onBusy: 'interrupt' },
  ])
  chat.close()
  await expect(second).rejects.toThrow('shutting down')
})

test('what cannot be begun leaves nothing behind', async () => {
  await using chat = await startChat()
  await chat.end(await chat.begin('first'))
  chat.refuse()
  await expect(chat.say('Hello.')).rejects.toThrow('Refused.')
  const [submission] = chat.submissions
  const answerId = submission?.proposedAnswerId ?? ''
  expect(await chat.store.operatorReplies.find(adasChat, answerId)).toBeUndefined()
})

test('at a shutdown, what nobody says yet is removed, and the person is told to send it again', async () => {
  await using chat = await startChat()
  const waiting = await chat.begin('waiting')
  const said = chat.say('Hello.')
  await expect.poll(() => chat.textOf(waiting)).toBeTruthy()
  chat.close()
  await expect(said).rejects.toThrow('shutting down')
  expect(await chat.textOf(waiting)).toBeUndefined()
})

test('at a shutdown, what another process is about to say counts as said', async () => {
  await using chat = await startChat()
  const waiting = await chat.begin('waiting')
  const said = chat.say('Hello.')
  await expect.poll(() => chat.textOf(waiting)).toBeTruthy()
  expect(await chat.store.operatorReplies.take(waiting, waiting.answerId)).toBe(true)
  chat.close()
  expect((await said)?.id).toBe(waiting.id)
  expect(await chat.textOf(waiting)).toBe('Hello.')
})

test('what a process died over before it was written is said in the next answer', async () => {
  await using chat = await startChat()
  const first = await chat.begin('first')
  const said = chat.say('Hello.')
  await expect.poll(() => chat.textOf(first)).toBeTruthy()
  await chat.store.operatorReplies.take(first, first.answerId)
  await chat.end(first)
  const second = await chat.begin('second')
  await expect.poll(() => chat.textOf(second)).toBeTruthy()
  await chat.hear(second)
  expect((await said)?.id).toBe(second.id)
})

/** A chat whose runs begin and end as the test says. */
async function startChat() {
  const fixture = await temporaryStore()
  const { store } = fixture
  const submissions: Submission[] = []
  const over = new AbortController()
  let isRefusing = false
  const runner: OperatorOptions['runner'] = {
    over: over.signal,
    submit: async submission => {
      submissions.push(submission)
      if (isRefusing) throw new Error('Refused.')
      return begin('follow-up')
    },
  }
  async function begin(id: string): Promise<Run> {
    const run = { ...testRun(id, { userMessageId: `question-${id}` }), agent: 'operator' }
    expect(await store.runs.claim(run, startOf(run))).toBe(true)
    store.signals.ring(run)
    return run
  }
  const options = { store, runner, desk: new OperatorDesk(store), now: () => new Date() }
  return {
    store,
    submissions,
    begin,
    refuse: () => (isRefusing = true),
    close: () => over.abort(),
    say: (text: string) => sayAsOperator(options, { ...adasChat, text }),
    textOf: async (run: Run) => (await store.operatorReplies.find(run, run.answerId))?.text,
    /** Says what the person wrote, as the run would. */
    async hear(run: Run) {
      await store.operatorReplies.markSaid(run, run.answerId)
      store.signals.ring(run)
    },
    async end(run: Run) {
      await store.runs.end(run, { ...endOf(run, [], { seq: 1 }), at: at(2) })
      store.signals.ring(run)
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

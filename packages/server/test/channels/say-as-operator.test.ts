import { isMessageId } from '@throughline/protocol/ids'
import type { Run } from '@throughline/store/runs'
import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { idOf } from '@throughline/testing/log/id-of'
import { ada, chatId, testRun, userMessage } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { OperatorDesk } from '../../src/channels/operator-desk.ts'
import { type OperatorOptions, sayAsOperator } from '../../src/channels/say-as-operator.ts'
import type { Submission } from '../../src/runs/submission.ts'

/** A chat whose runs begin and end as the test says. */
class TestChat implements OperatorOptions {
  readonly operators = new OperatorDesk()
  readonly submissions: Submission[] = []
  #active: { readonly run: Run; readonly over: PromiseWithResolvers<undefined> } | undefined
  readonly #questions: readonly string[]

  constructor(...questions: readonly string[]) {
    this.#questions = questions
  }

  readonly store: OperatorOptions['store'] = {
    messages: {
      find: async (_, id) => userMessage(id),
      last: async () => this.#questions.at(-1) ?? '',
    },
  }

  readonly runner: OperatorOptions['runner'] = {
    active: () => this.#active && { run: this.#active.run, ended: this.#active.over.promise },
    submit: async submission => {
      this.submissions.push(submission)
      return this.begin(submission.agent, submission.proposedAnswerId ?? '')
    },
  }

  begin(agent: string, answerId: string): Run {
    const run = { ...testRun(`run-${answerId}`), agent, answerId: idOf(isMessageId, answerId) }
    this.#active = { run, over: Promise.withResolvers() }
    return run
  }

  end(): void {
    this.#active?.over.resolve(undefined)
    this.#active = undefined
  }

  /** Whether somebody has said what this answer is to be. */
  isTold(answerId: string): boolean {
    const reply = this.operators.reply(answerId, '')
    reply?.takeBack()
    return reply === undefined
  }

  say(text: string) {
    return sayAsOperator(this, { ownerId: ada, chatId, text })
  }
}

test('an answer that waits is told what to say, and nothing is begun', async () => {
  const chat = new TestChat('question')
  chat.begin('operator', 'waiting')
  const said = chat.say('Hello.')
  await settle()
  expect(chat.isTold('waiting')).toBe(true)
  expect(chat.submissions).toEqual([])
  expect(await isPending(said)).toBe(true)
})

test('when nobody has written yet there is nothing to follow, and nothing is left behind', async () => {
  const chat = new TestChat()
  expect(await chat.say('Hello.')).toBeUndefined()
  expect(chat.operators.size).toBe(0)
})

test('what was stopped before a word was said is said in the next answer', async () => {
  const chat = new TestChat('first', 'second')
  chat.begin('operator', 'waiting')
  const said = chat.say('Hello.')
  await settle()
  // A new message came in: the answer ends without having begun, and the next one waits.
  chat.end()
  chat.begin('operator', 'next')
  await settle()
  expect(await isPending(said)).toBe(true)
  expect([chat.isTold('waiting'), chat.isTold('next')]).toEqual([false, true])
  expect(chat.submissions).toEqual([])
})

test('a second reply waits until the first has ended, and follows it', async () => {
  const chat = new TestChat('question')
  chat.begin('operator', 'waiting')
  void chat.say('First.')
  await settle()
  void chat.say('Second.')
  await settle()
  expect(chat.submissions).toEqual([])
  chat.end()
  await settle()
  expect(chat.submissions.map(({ kind, message, onBusy }) => [kind, message.id, onBusy])).toContainEqual([
    'follow-up',
    'question',
    'interrupt',
  ])
})

test('what cannot be begun leaves nothing behind', async () => {
  const chat = new TestChat('question')
  const runner = { ...chat.runner, submit: () => Promise.reject(new Error('Shutting down.')) }
  const saying = sayAsOperator(
    { store: chat.store, operators: chat.operators, runner },
    { ownerId: ada, chatId, text: 'Hello.' },
  )
  await expect(saying).rejects.toThrow('Shutting down.')
  expect(chat.operators.size).toBe(0)
})

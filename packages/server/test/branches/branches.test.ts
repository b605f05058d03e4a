import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, heldScript, say } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import {
  answerTo,
  askAgain,
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  loadBranches,
  otherAnswerTo,
  shownIds,
  toldBy,
  untilIdle,
} from '@throughline/testing/http/branch-requests'
import { problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { startTwoTurns } from '@throughline/testing/server/two-turns'
import { describe, expect, test } from 'vitest'

describe('a message that follows the answer which is being written', () => {
  test('finds the chat busy', async () => {
    await using world = await startHeld()
    const question = { messageId: 'next', fields: { after: world.answerId } }
    expect(await problemOf(await submit(world.url, question))).toMatchObject({ code: 'chat-busy' })
  })

  test.each(['queue', 'interrupt'])('comes after it when it may %s', async onBusy => {
    await using world = await startHeld()
    const fields = { after: world.answerId, onBusy }
    const sent = submit(world.url, { messageId: 'next', fields })
    if (onBusy === 'queue') world.letGo()
    await toldBy(await sent)
    await untilIdle(world.url)
    expect(world.given.at(-1)).toEqual(['question', world.answerId, 'next'])
  })

  // People see the end before it is saved, and may go on at once. Here it is saved when they have been told to wait.
  test('is taken as soon as the end has been shown', async () => {
    const saved = Promise.withResolvers<void>()
    let isSent = false
    const wrapStore: TestServerOptions['wrapStore'] = store => ({
      ...store,
      runs: {
        ...store.runs,
        end: async (run, end) => saved.promise.then(() => store.runs.end(run, end)),
        async active(chat) {
          const run = await store.runs.active(chat)
          if (isSent) saved.resolve()
          return run
        },
      },
    })
    await using world = await startHeld({ wrapStore })
    world.letGo()
    await world.stream.rest()
    isSent = true
    try {
      await toldBy(await submit(world.url, { messageId: 'next', fields: { after: world.answerId } }))
    } finally {
      saved.resolve()
    }
    await untilIdle(world.url)
    expect(world.given.at(-1)).toEqual(['question', world.answerId, 'next'])
  })
})

describe('the branches of a chat', () => {
  test('are listed with the newest first, each with its length, its time and its last words', async () => {
    await using world = await startTwoTurns()
    const { url, a2 } = world
    const other = await otherAnswerTo(url, { messageId: 'q2' })
    const edited = await answerTo(url, { messageId: 'q1b', fields: { after: '' } })
    const branches = await loadBranches(url)
    expect(branches.map(({ id, messageCount, text }) => [id, messageCount, text])).toEqual([
      [edited, 2, 'Answer 4.'],
      [other, 4, 'Answer 3.'],
      [a2, 4, 'Answer 2.'],
    ])
    for (const { id, messageCount, createdAt } of branches) {
      const branch = await loadBranch(url, id)
      expect(branch).toHaveLength(messageCount)
      expect(branch.at(-1)).toMatchObject({ id, metadata: { createdAt } })
    }
  })

  test('are one when nobody went back, also while it is being answered', async () => {
    await using world = await startHeld()
    expect(await loadBranches(world.url)).toMatchObject([
      { id: world.answerId, messageCount: 2, text: 'Wait' },
    ])
  })

  test('are none in an empty chat, and not found where there is no chat', async () => {
    await using server = await startTestServer()
    await sendJson(`${server.url}/api/chats`, { id: 'empty' })
    expect(await loadBranches(server.url, 'empty')).toEqual([])
    const missing = await problemOf(await fetch(`${server.url}/api/chats/nowhere/branches`))
    expect(missing).toMatchObject({ status: 404, code: 'chat-not-found' })
  })

  test.each(['unknown', 'not%20an%20id', ''])('have none through "%s"', async branch => {
    await using world = await startTwoTurns()
    const response = await fetch(`${world.url}/api/chats/chat/messages?branch=${branch}`)
    expect(await problemOf(response)).toMatchObject({ status: 404, code: 'message-not-found' })
  })

  test('are followed from the same position, whichever was loaded', async () => {
    await using world = await startTwoTurns()
    const { url } = world
    await otherAnswerTo(url, { messageId: 'q1' })
    const queries = ['', '?branch=q2', '?branches=all']
    const positions = queries.map(async query => {
      const response = await fetch(`${url}/api/chats/chat/messages${query}`)
      return (await response.json()).position
    })
    expect(new Set(await Promise.all(positions)).size).toBe(1)
  })
})

test("sub-agents' messages stand with their answer on every branch, and are no place to go on from", async () => {
  const model = scriptedModel({
    master: [[saying('I ask. '), asking('lead', 'a'), asking('helper', 'b')], [saying('All is done.')]],
    lead: [[saying('I lead. '), asking('helper')], [saying('It is led.')]],
    helper: [[saying('It is helped.')]],
  })
  const subAgents = [subAgent('lead', { allowedSubAgents: ['helper'] }), subAgent('helper')]
  await using server = await startDelegation({ model, subAgents })
  const { url } = server
  const answers = [await answerTo(url), await otherAnswerTo(url), await otherAnswerTo(url)]
  const edited = await answerTo(url, { messageId: 'edit', fields: { after: '' } })
  expect(await loadAll(url)).toHaveLength(2 + 4 * 4)
  for (const id of [...answers, edited]) {
    const [question, ...rest] = await loadBranch(url, id)
    expect(question?.id).toBe(id === edited ? 'edit' : 'question')
    expect(rest.map(({ metadata }) => metadata?.agent?.name).toSorted()).toEqual([
      'helper',
      'helper',
      'lead',
      'master',
    ])
    const ids = idsOf(rest)
    for (const { metadata } of rest.slice(1)) expect(ids).toContain(metadata?.parent?.messageId)
  }
  expect(await shownIds(url)).toEqual(idsOf(await loadBranch(url, edited)))
  expect((await loadBranches(url)).map(({ messageCount }) => messageCount)).toEqual([5, 5, 5, 5])
  await expectWhole(server)

  const child = (await loadAll(url)).find(({ metadata }) => metadata?.parent !== undefined)?.id ?? ''
  const after = await submit(url, { messageId: 'next', fields: { after: child } })
  expect(await problemOf(after)).toMatchObject({ status: 400, code: 'unknown-message' })
  const again = await askAgain(url, { messageId: child })
  expect(await problemOf(again)).toMatchObject({ status: 404, code: 'message-not-found' })
  const through = await fetch(`${url}/api/chats/chat/messages?branch=${child}`)
  expect(await problemOf(through)).toMatchObject({ status: 404, code: 'message-not-found' })
})

test('while another answer goes on, what its sub-agents have finished stands with it alone', async () => {
  const held = Promise.withResolvers<void>()
  let answers = 0
  const model = scriptedModel({
    master: [
      [asking('helper')],
      async function* () {
        answers += 1
        yield saying(`Helped ${answers}`)
        if (answers === 2) await held.promise
      },
    ],
    helper: [[saying('It is helped.')]],
  })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
  const { url } = server
  const first = await answerTo(url)
  const before = await loadAll(url)
  const { responseMessageId: second } = await toldBy(await askAgain(url))
  await using stream = new SseBytes(await fetch(`${url}/api/chat/chat/stream`))
  await stream.until('Helped 2')
  const shown = ['question', second, expect.not.stringMatching(before.at(-1)?.id ?? '')]
  expect(await shownIds(url)).toEqual(shown)
  expect(await loadBranch(url, first)).toEqual(before)
  await expectWhole(server)
  held.resolve()
  await stream.rest()
  expect(await shownIds(url)).toEqual(shown)
  expect(await loadBranch(url, first)).toEqual(before)
  await expectWhole(server)
})

/** A chat whose first answer waits. */
async function startHeld(options: TestServerOptions = {}) {
  const { script, letGo } = heldScript({ before: [say('Wait')] })
  const { agent, given } = recordingAgent([script, [say('Next.'), finish]])
  const server = await startTestServer({ ...options, agents: [agent] })
  const { responseMessageId: answerId } = await toldBy(await submit(server.url))
  const stream = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream`))
  await stream.until('Wait')
  return {
    url: server.url,
    given,
    stream,
    letGo,
    answerId,
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

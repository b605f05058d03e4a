import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, heldScript, say } from '@throughline/testing/agent/scripted-agent'
import {
  answerTo,
  askAgain,
  expectWhole,
  idsOf,
  loadAll,
  toldBy,
  untilIdle,
} from '@throughline/testing/http/branch-requests'
import { ask, loadChat, problemOf, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const expecting = (id: string) => ({ fields: { expected_assistant_message_id: id } })

describe('a request for another answer that is sent again with the id it expects', () => {
  test('attaches to its run, while it goes on and after its end', async () => {
    await using world = await startHeldAgain()
    const { url } = world.server
    const again = await toldBy(await askAgain(url, expecting('second')))
    expect(again).toEqual(world.told)
    world.letGo()
    await world.stream.rest()
    expect(await toldBy(await askAgain(url, expecting('second')))).toEqual(world.told)
    expect(idsOf(await loadAll(url))).toEqual(['question', world.first, 'second'])
    expect(world.given).toHaveLength(2)
  })

  test('ten times at once is one run', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    const first = await answerTo(server.url)
    const requests = Array.from({ length: 10 }, () => askAgain(server.url, expecting('second')))
    const told = await Promise.all((await Promise.all(requests)).map(toldBy))
    expect(new Set(told.map(({ runId }) => runId)).size).toBe(1)
    await untilIdle(server.url)
    expect(idsOf(await loadAll(server.url))).toEqual(['question', first, 'second'])
    expect(given).toHaveLength(2)
    await expectWhole(server)
  })

  test('gets the same stream, byte for byte, on the stock route', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const fields = { trigger: 'regenerate-message', ...expecting('second').fields }
    const stream = await (await ask(server.url, { fields })).text()
    expect(stream).toContain('"messageId":"second"')
    expect(await (await ask(server.url, { fields })).text()).toBe(stream)
    expect(await loadAll(server.url)).toHaveLength(3)
  })

  // The other request comes and goes while this one is between two of its steps.
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'is one run also when the other is over before this one asks the store for the %ith time',
    async call => {
      const { agent, given } = recordingAgent()
      const calls = countedCalls()
      await using server = await startTestServer({ agents: [agent], wrapStore: calls.wrapStore })
      const { url } = server
      const first = await answerTo(url)
      const others: Response[] = []
      calls.before(call, async () => {
        others.push(await askAgain(url, expecting('second')))
        await untilIdle(url)
        while ((await server.store.runs.unfinished()).length > 0);
      })
      const told = await toldBy(await askAgain(url, expecting('second')))
      expect(others).toHaveLength(1)
      for (const other of others) expect(await toldBy(other)).toEqual(told)
      await untilIdle(url)
      expect(idsOf(await loadAll(url))).toEqual(['question', first, 'second'])
      expect(given).toHaveLength(2)
      await expectWhole(server)
    },
  )
})

describe('the id that is expected for another answer', () => {
  test.each([
    ['the question’s own', 'question'],
    ['that of another question', 'q2'],
    ['that of the answer to another question', 'a2'],
    ['malformed', 'not an id'],
  ])('is not taken when it is %s', async (_, proposed) => {
    await using server = await startTestServer()
    const { url } = server
    await answerTo(url, expecting('a1'))
    await answerTo(url, { messageId: 'q2', ...expecting('a2') })
    const { responseMessageId } = await toldBy(await askAgain(url, expecting(proposed)))
    expect(responseMessageId).toMatch(/^msg_[0-9a-f]{32}$/)
    await untilIdle(url)
    expect(idsOf(await loadAll(url))).toEqual(['question', 'a1', 'q2', 'a2', responseMessageId])
  })

  test('is missing: every request is another answer', async () => {
    await using server = await startTestServer()
    const { url } = server
    await answerTo(url)
    for (const _ of [1, 2, 3]) await untilIdle(url).then(() => askAgain(url))
    await untilIdle(url)
    expect(new Set(idsOf(await loadAll(url))).size).toBe(5)
  })
})

describe('while a chat is answering', () => {
  test('another answer is refused, with the run that is active', async () => {
    await using world = await startHeldAgain()
    const { url } = world.server
    const expected = {
      status: 409,
      code: 'chat-busy',
      activeRunId: world.told.runId,
      activeMessageId: 'second',
    }
    expect(await problemOf(await askAgain(url))).toMatchObject(expected)
    expect(await problemOf(await askAgain(url, expecting('third')))).toMatchObject(expected)
    const regenerate = { fields: { trigger: 'regenerate-message', onBusy: 'reject' } }
    expect(await problemOf(await ask(url, regenerate))).toMatchObject(expected)
    expect(await problemOf(await submit(url, { messageId: 'next' }))).toMatchObject(expected)
    expect(await loadAll(url)).toHaveLength(3)
  })

  test('a queued one is made after the end', async () => {
    await using world = await startHeldAgain()
    const { url } = world.server
    const fields = { onBusy: 'queue', expected_assistant_message_id: 'third' }
    const queued = askAgain(url, { messageId: 'second', fields })
    world.letGo()
    expect(await toldBy(await queued)).toMatchObject({ messageId: 'question', responseMessageId: 'third' })
    await untilIdle(url)
    expect(world.given).toEqual([['question'], ['question'], ['question']])
    expect((await loadAll(url)).map(({ id, metadata }) => [id, metadata?.status])).toEqual([
      ['question', undefined],
      [world.first, 'finished'],
      ['second', 'finished'],
      ['third', 'finished'],
    ])
    await expectWhole(world.server)
  })

  test('one may interrupt: what was shown is kept', async () => {
    await using world = await startHeldAgain()
    const { url } = world.server
    const fields = { onBusy: 'interrupt', expected_assistant_message_id: 'third' }
    await toldBy(await askAgain(url, { fields }))
    await untilIdle(url)
    expect(await loadAll(url)).toMatchObject([
      { id: 'question' },
      { id: world.first },
      { id: 'second', metadata: { status: 'stopped' }, parts: [{ text: 'Wait' }] },
      { id: 'third', metadata: { status: 'finished' } },
    ])
    expect(idsOf((await loadChat(url)).messages)).toEqual(['question', 'third'])
    await expectWhole(world.server)
  })
})

/** A chat whose second answer, called `second`, waits. */
async function startHeldAgain() {
  const { script, letGo } = heldScript({ before: [say('Wait')] })
  const { agent, given } = recordingAgent([[say('First.'), finish], script])
  const server = await startTestServer({ agents: [agent] })
  const first = await answerTo(server.url)
  const told = await toldBy(await askAgain(server.url, expecting('second')))
  const stream = new SseBytes(await fetch(`${server.url}/api/chat/chat/stream`))
  await stream.until('Wait')
  return {
    server,
    first,
    told,
    stream,
    given,
    letGo,
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

type Wrap = NonNullable<TestServerOptions['wrapStore']>

/** A store before whose n-th call, counted from the moment the test says so, something else happens. */
function countedCalls(): {
  readonly wrapStore: Wrap
  readonly before: (call: number, happens: () => Promise<void>) => void
} {
  let left = 0
  let happens = async () => {}
  const count = async () => {
    left -= 1
    if (left === 0) await happens()
  }
  return {
    before(call, other) {
      left = call
      happens = other
    },
    wrapStore: store => {
      const { log, runs, messages } = store
      return {
        ...store,
        log: { ...log, open: async name => count().then(() => log.open(name)) },
        messages: { ...messages, find: async (...of) => count().then(() => messages.find(...of)) },
        runs: {
          ...runs,
          active: async (...of) => count().then(() => runs.active(...of)),
          claim: async (...of) => count().then(() => runs.claim(...of)),
          ofAnswer: async (...of) => count().then(() => runs.ofAnswer(...of)),
          ofUserMessage: async (...of) => count().then(() => runs.ofUserMessage(...of)),
        },
      }
    },
  }
}

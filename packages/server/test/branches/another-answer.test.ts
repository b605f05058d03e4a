import { isChatId, isMessageId } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import {
  finish,
  heldScript,
  say,
  scriptedAgent,
  textToolText,
} from '@throughline/testing/agent/scripted-agent'
import {
  answerTo,
  askAgain,
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  otherAnswerTo,
  shownIds,
  toldBy,
} from '@throughline/testing/http/branch-requests'
import { ask, loadAnswer, loadChat, problemOf } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

describe('another answer', () => {
  test('is shown in place of the first while it streams and after its end, and the first is kept whole', async () => {
    const { script, letGo } = heldScript({ before: [say('Wait')], after: [say(' for it.')] })
    const { agent } = recordingAgent([textToolText, script])
    await using server = await startTestServer({ agents: [agent] })
    const { url } = server
    const first = await answerTo(url)
    const before = await loadAll(url)

    const told = await toldBy(await askAgain(url))
    const second = told.responseMessageId
    expect(told).toMatchObject({ messageId: 'question', runId: expect.stringMatching(/^run_/) })
    await using stream = new SseBytes(await fetch(`${url}/api/chat/chat/stream`))
    await stream.until('Wait')
    expect((await loadChat(url)).messages).toMatchObject([
      { id: 'question' },
      { id: second, metadata: { status: 'streaming', previousMessageId: 'question' } },
    ])
    expect(await loadBranch(url, first)).toEqual(before)
    expect(idsOf(await loadAll(url))).toEqual(['question', first, second])
    await expectWhole(server)

    letGo()
    await stream.rest()
    expect((await loadChat(url)).messages).toMatchObject([
      { id: 'question' },
      { id: second, metadata: { status: 'finished' }, parts: [{ text: 'Wait for it.' }] },
    ])
    expect(await loadBranch(url, first)).toEqual(before)
    await expectWhole(server)
  })

  test('and the first are there after a restart', async () => {
    await using server = await startTestServer({ agents: [recordingAgent().agent] })
    const first = await answerTo(server.url)
    const second = await otherAnswerTo(server.url)
    const all = await loadAll(server.url)
    await server.close()
    const { store } = server
    await using again = await startServer({ store, agents: [], logger: pino({ level: 'silent' }), port: 0 })
    expect(await loadAll(again.url)).toEqual(all)
    expect(await shownIds(again.url)).toEqual(['question', second])
    expect(idsOf(await loadBranch(again.url, first))).toEqual(['question', first])
    await expectWhole({ url: again.url, store })
  })

  test('leaves the row of its question as it was: place, content and run', async () => {
    await using server = await startTestServer()
    await answerTo(server.url)
    const load = () =>
      server.store.messages.load({ ownerId: ownerIdOf('local'), chatId: idOf(isChatId, 'chat') })
    const before = await load()
    await otherAnswerTo(server.url)
    expect((await load())?.messages.slice(0, 2)).toEqual(before?.messages)
  })

  test('is made from the branch up to the question, without the answers it replaces', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    const { url } = server
    const a1 = await answerTo(url, { messageId: 'q1' })
    const a2 = await answerTo(url, { messageId: 'q2' })
    const other2 = await otherAnswerTo(url, { messageId: 'q2' })
    const other1 = await otherAnswerTo(url, { messageId: 'q1' })
    const a3 = await answerTo(url, { messageId: 'q3' })
    const again2 = await otherAnswerTo(url, { messageId: 'q2' })
    expect(given).toEqual([
      ['q1'],
      ['q1', a1, 'q2'],
      ['q1', a1, 'q2'],
      ['q1'],
      ['q1', other1, 'q3'],
      ['q1', a1, 'q2'],
    ])
    expect(await shownIds(url)).toEqual(['q1', a1, 'q2', again2])
    expect(idsOf(await loadBranch(url, other1))).toEqual(['q1', other1, 'q3', a3])
    expect(idsOf(await loadAll(url))).toEqual(['q1', a1, 'q2', a2, other2, other1, 'q3', a3, again2])
    await expectWhole(server)
  })

  test('can be asked for by the id of any answer to the same question', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    const first = await answerTo(server.url)
    const second = await otherAnswerTo(server.url, { messageId: first })
    const third = await otherAnswerTo(server.url, { messageId: second })
    expect(given).toEqual([['question'], ['question'], ['question']])
    expect(idsOf(await loadAll(server.url))).toEqual(['question', first, second, third])
    const tellsItsQuestion = await toldBy(await askAgain(server.url, { messageId: third }))
    expect(tellsItsQuestion.messageId).toBe('question')
  })

  test('comes from the agent that answered first, unless another is asked', async () => {
    const agents = ['assistant', 'poet'].map(name => scriptedAgent(name, [say(`I am ${name}.`), finish]))
    await using server = await startTestServer({ agents })
    const { url } = server
    await answerTo(url, { fields: { agent: 'poet' } })
    for (const [fields, name] of [
      [{}, 'poet'],
      [{ agent: 'assistant' }, 'assistant'],
      [{}, 'poet'],
    ] as const) {
      await otherAnswerTo(url, { fields })
      expect((await loadAnswer(url)).metadata).toMatchObject({ agentUsed: name })
    }
    const refused = await problemOf(await askAgain(url, { fields: { agent: 'nobody' } }))
    expect(refused).toMatchObject({ status: 400, code: 'unknown-agent' })
  })

  test('comes from the default agent when the first is no longer there', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('poet', textToolText)] })
    await answerTo(server.url)
    await server.close()
    const { store } = server
    const { agent } = recordingAgent()
    await using again = await startServer({
      store,
      agents: [agent],
      logger: pino({ level: 'silent' }),
      port: 0,
    })
    await otherAnswerTo(again.url)
    expect((await loadAnswer(again.url)).metadata).toMatchObject({ agentUsed: 'assistant' })
  })
})

describe('another answer is refused', () => {
  test.each([
    ['to a message that is not there', { messageId: 'unknown' }, 404, 'message-not-found'],
    ['to what is no id', { messageId: 'not an id' }, 404, 'message-not-found'],
    ['to nothing', { messageId: '' }, 404, 'message-not-found'],
    ['to a message of another chat', { messageId: 'elsewhere' }, 404, 'message-not-found'],
    ['in a chat that is not there', { chatId: 'nowhere' }, 404, 'message-not-found'],
    ['in a chat that has no possible id', { chatId: 'a%20b' }, 400, 'invalid-id'],
    ['without a message', { fields: { messageId: undefined } }, 400, 'invalid-body'],
    ['to a number', { fields: { messageId: 5 } }, 400, 'invalid-body'],
    ['in an unknown way when busy', { fields: { onBusy: 'wait' } }, 400, 'invalid-body'],
  ])('%s', async (_, question, status, code) => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    await (await ask(server.url, { chatId: 'other', messageId: 'elsewhere' })).text()
    const before = await loadAll(server.url)
    expect(await problemOf(await askAgain(server.url, question))).toMatchObject({ status, code })
    expect(await loadAll(server.url)).toEqual(before)
    const chats = await server.store.chats.list(ownerIdOf('local'), { limit: 10 })
    expect(chats.map(({ id }) => id).toSorted()).toEqual(['chat', 'other'])
  })

  test('when the chat is removed before it begins, and the chat stays removed', async () => {
    let remove = async () => undefined
    await using server = await startTestServer({
      wrapStore: store => ({
        ...store,
        runs: {
          ...store.runs,
          async claim(run, start) {
            if (run.kind === 'another-answer') await remove()
            return store.runs.claim(run, start)
          },
        },
      }),
    })
    await answerTo(server.url)
    remove = async () => {
      await fetch(`${server.url}/api/chats/chat`, { method: 'DELETE' })
    }
    expect(await problemOf(await askAgain(server.url))).toMatchObject({ code: 'message-not-found' })
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
    const owner = ownerIdOf('local')
    const question = idOf(isMessageId, 'question')
    expect(
      await server.store.runs.ofUserMessage({ ownerId: owner, chatId: idOf(isChatId, 'chat') }, question),
    ).toBeUndefined()
  })
})

import { isChatId, textOf } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { answerTo, askAgain, expectWhole, loadAll, shownIds } from '@throughline/testing/http/branch-requests'
import { ask, loadChat, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import { defaultAgents, ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const toAnn = { agent: 'user::Ann' }

describe('a message to a person (R77)', () => {
  test('is saved and shown as that, and no agent answers it', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    const response = await submit(server.url, { messageId: 'q1', fields: toAnn })
    expect(response.status).toBe(202)
    expect(await response.json()).toEqual({
      runId: expect.any(String),
      messageId: 'q1',
      position: expect.any(String),
    })
    expect(await loadAll(server.url)).toMatchObject([
      { id: 'q1', role: 'user', metadata: { receiverName: 'Ann', communicationType: 'user-to-user' } },
    ])
    expect((await fetch(`${server.url}/api/chat/chat/stream`)).status).toBe(204)
    expect(given).toEqual([])
    await expectWhole(server)
  })

  test('is followed by others, to whomever, without waiting', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    for (const messageId of ['q1', 'q2'])
      expect((await submit(server.url, { messageId, fields: toAnn })).status).toBe(202)
    const answer = await answerTo(server.url, { messageId: 'q3' })
    expect(await shownIds(server.url)).toEqual(['q1', 'q2', 'q3', answer])
    expect(given).toEqual([['q1', 'q2', 'q3']])
    await expectWhole(server)
  })

  test('is one message, however often it is sent', async () => {
    await using server = await startTestServer()
    const send = () => submit(server.url, { messageId: 'q1', fields: toAnn })
    const answers = await Promise.all([send(), send(), send()].map(async sent => (await sent).json()))
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(await shownIds(server.url)).toEqual(['q1'])
  })

  test('gets a stock client an empty stream at once', async () => {
    await using server = await startTestServer()
    for (const format of ['', '?format=data-stream']) {
      const messageId = `q${format.length}`
      for (let times = 0; times < 2; times += 1) {
        const body = {
          id: 'chat',
          messages: [{ id: messageId, role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
        }
        const response = await sendJson(`${server.url}/api/chat${format}`, { ...body, ...toAnn })
        expect(await response.text()).toBe(format === '' ? 'retry: 1000\n\ndata: [DONE]\n\n' : '')
      }
    }
    expect(await shownIds(server.url)).toEqual(['q0', 'q19'])
  })

  test('is answered by the person, as often as they like', async () => {
    await using server = await startTestServer()
    await submit(server.url, { messageId: 'q1', fields: toAnn })
    const { position } = await loadChat(server.url)
    await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log?after=${position}`))
    const first = await reply(server.url, { text: 'Yes?' })
    expect(first.status).toBe(202)
    await log.until('"type":"finish"')
    expect((await reply(server.url, { text: 'Anything else?', name: 'Ann B.' })).status).toBe(202)
    const [, one, other] = await loadAll(server.url)
    expect([one, other].map(message => message && textOf(message))).toEqual(['Yes?', 'Anything else?'])
    expect(one).toMatchObject({
      role: 'assistant',
      metadata: { senderName: 'Ann', receiverName: 'local', communicationType: 'user-to-user' },
    })
    expect(one?.metadata).not.toHaveProperty('agent')
    expect(other?.metadata).toMatchObject({ senderName: 'Ann B.' })
    await expectWhole(server)
  })

  test.each([
    ['another answer', () => ({})],
    ['another answer by a person', () => toAnn],
  ])('cannot be asked for %s', async (_, fields) => {
    await using server = await startTestServer()
    await submit(server.url, { messageId: 'q1', fields: toAnn })
    const refused = await askAgain(server.url, { messageId: 'q1', fields: fields() })
    expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'for-a-person' })
  })

  test('can be given to an agent after all', async () => {
    await using server = await startTestServer()
    await submit(server.url, { messageId: 'q1', fields: toAnn })
    const given = await askAgain(server.url, { messageId: 'q1', fields: { agent: 'assistant' } })
    expect(given.status).toBe(202)
    await (await fetch(`${server.url}/api/chat/chat/stream`)).text()
    expect(await loadAll(server.url)).toMatchObject([{ id: 'q1' }, { metadata: { agentUsed: 'assistant' } }])
  })

  test.each(['user::', 'user::  ', `user::${'x'.repeat(101)}`])(
    'names somebody: "%s" is refused',
    async agent => {
      await using server = await startTestServer()
      const refused = await submit(server.url, { fields: { agent } })
      expect(await problemOf(refused)).toMatchObject({ status: 400, code: 'unknown-agent' })
    },
  )

  test('cannot be sent where an answer is waited for', async () => {
    await using server = await startTestServer()
    const refusal = { status: 409, code: 'for-a-person' }
    const query = await sendJson(`${server.url}/agent/query`, { message: 'Hi', ...toAnn })
    expect(await problemOf(query)).toMatchObject(refusal)
    const agUi = await sendJson(`${server.url}/ag-ui`, {
      threadId: 'chat',
      runId: 'run',
      messages: [{ id: 'q1', role: 'user', content: 'Hi' }],
      forwardedProps: { throughline: toAnn },
    })
    expect(await problemOf(agUi)).toMatchObject(refusal)
  })

  test('that a process wrote and did not save is saved by the next one', async () => {
    await using server = await startTestServer({
      wrapStore: store => ({
        ...store,
        runs: { ...store.runs, end: async () => Promise.reject(new Error('It is gone.')) },
      }),
    })
    await submit(server.url, { messageId: 'q1', fields: toAnn })
    const { store } = server
    await using next = await startServer({
      store,
      agents: defaultAgents(),
      logger: pino({ level: 'silent' }),
      port: 0,
    })
    expect(
      await store.runs.active({ ownerId: ownerIdOf('local'), chatId: idOf(isChatId, 'chat') }),
    ).toBeUndefined()
    expect(await shownIds(next.url)).toEqual(['q1'])
    await expectWhole({ url: next.url, store })
  })
})

test('nobody replies where the last message is for an agent', async () => {
  await using server = await startTestServer()
  await submit(server.url, { messageId: 'q1', fields: toAnn })
  await (await ask(server.url, { messageId: 'q2' })).text()
  expect(await problemOf(await reply(server.url, { text: 'Hi.' }))).toMatchObject({
    status: 409,
    code: 'not-in-a-channel',
  })
})

function reply(url: string, body: { readonly text: string; readonly name?: string }): Promise<Response> {
  return sendJson(`${url}/api/chats/chat/reply`, body)
}

import { type AgentEvent, toolFactory } from '@throughline/agents'
import { finish, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { messagesBy, outputsOf, readLog, replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const nothingSaid = 'The agent ended without saying anything.'
const noCity = `${nothingSaid} The last tool error (weather): There is no such city.`
const call = weatherCall()
const called: AgentEvent = { type: 'tool-call', ...call }
const failed: AgentEvent = { type: 'tool-error', ...call, errorText: 'There is no such city.' }
const succeeded: AgentEvent = { type: 'tool-result', ...call, output: 'clear' }
const called2: AgentEvent = { type: 'tool-call', ...weatherCall('call-2') }
const succeeded2: AgentEvent = { type: 'tool-result', ...weatherCall('call-2'), output: 'clear' }
const other: AgentEvent = { ...called2, toolName: 'search' }
const otherDone: AgentEvent = { ...succeeded2, toolName: 'search' }

describe('an answer that says nothing', () => {
  test.each<[string, readonly AgentEvent[], string]>([
    ['at all', [], nothingSaid],
    ['but blanks', [say(' \n')], nothingSaid],
    ['but thinks', [{ type: 'reasoning-delta', text: 'Hm.' }], nothingSaid],
    ['after its tool', [called, succeeded], nothingSaid],
    ['after its tool failed', [called, failed], noCity],
    ['after its tool failed and another did not', [called, failed, other, otherDone], noCity],
    ['after its tool failed and then did not', [called, failed, called2, succeeded2], nothingSaid],
  ])('%s has finished, and its metadata says so', async (_, events, statusText) => {
    const { answer, values } = await answerOf([...events, finish])
    expect(answer.metadata).toMatchObject({ status: 'finished', isEmpty: true, statusText })
    expect(values.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { isEmpty: true, statusText } })
  })

  test.each<[string, readonly AgentEvent[]]>([
    ['has text', [called, failed, say('I could not find out.')]],
    [
      'has a picture of a tool',
      [called, { ...succeeded, output: { screenshot: '/api/chats/chat/files/f' } }],
    ],
    ['has a file', [{ type: 'file', chunk: { type: 'file', mediaType: 'image/png', url: 'data:,' } }]],
  ])('is not one that %s', async (_, events) => {
    const { answer } = await answerOf([...events, finish])
    expect(answer.metadata?.status).toBe('finished')
    for (const field of ['isEmpty', 'statusText', 'lastToolError'])
      expect(answer.metadata).not.toHaveProperty(field)
  })

  test('names the tool and its error for pages in other languages', async () => {
    const { answer } = await answerOf([called, failed, finish])
    expect(answer.metadata?.lastToolError).toEqual({
      toolName: 'weather',
      errorText: 'There is no such city.',
    })
  })

  test.each(['query-stream-delta', 'query-stream'])('is told by the event API: %s', async route => {
    await using server = await serverOf([called, failed, finish])
    const response = await sendJson(`${server.url}/agent/${route}`, { message: 'The weather?' })
    const events = valuesOf(Buffer.from(await response.arrayBuffer()))
    expect(events.at(-2)).toMatchObject({ type: 'final', content: '', status: 'empty', status_text: noCity })
  })

  test('is told by the event API in one piece', async () => {
    await using server = await serverOf([called, failed, finish])
    const response = await sendJson(`${server.url}/agent/query`, { message: 'The weather?' })
    const answer = await response.json()
    expect(answer).toMatchObject({ status: 'empty', status_text: noCity, content: '' })
    const session = await (await fetch(`${server.url}/sessions/${answer.session_id}`)).json()
    expect(session.messages.at(-1)).toMatchObject({ status: 'empty', status_text: noCity, content: '' })
  })
})

describe('delegation', () => {
  test('a master that leaves the talking to others has said nothing itself', async () => {
    const { master, helper } = await delegated({
      master: [[asking('helper')], []],
      helper: [[saying('Done.')]],
    })
    expect(helper?.metadata).not.toHaveProperty('isEmpty')
    expect(master?.metadata).toMatchObject({ status: 'finished', isEmpty: true, statusText: nothingSaid })
  })

  test('a sub-agent that says nothing tells its caller why, and shows it', async () => {
    const { helper, output } = await delegated({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [[calling('fail', {})], []],
    })
    const statusText = `${nothingSaid} The last tool error (fail): It broke.`
    expect(helper?.metadata).toMatchObject({ isEmpty: true, statusText })
    expect(output).toMatchObject({ ok: false, code: 'EMPTY', message: statusText })
  })
})

function serverOf(events: readonly AgentEvent[]) {
  return startTestServer({ agents: [scriptedAgent('assistant', events)] })
}

async function answerOf(events: readonly AgentEvent[]) {
  await using server = await serverOf(events)
  const values = valuesOf(Buffer.from(await (await ask(server.url)).arrayBuffer()))
  expect((await loadChat(server.url)).messages).toEqual(replay(await readLog(server.url)))
  return { values, answer: await loadAnswer(server.url) }
}

async function delegated(turns: Turns) {
  const fail = toolFactory(
    'fail',
    tool({
      description: 'Fails.',
      inputSchema: z.object({}),
      execute(): string {
        throw new Error('It broke.')
      },
    }),
  )
  await using server = await startDelegation({
    model: scriptedModel(turns),
    subAgents: [subAgent('helper', { tools: ['*'] })],
    tools: [fail],
  })
  await (await ask(server.url)).text()
  const entries = await readLog(server.url)
  const { messages } = await loadChat(server.url)
  const by = (name: string) => messagesBy(messages, name)[0]
  return { master: by('master'), helper: by('helper'), output: outputsOf(entries).get('ask-helper') }
}

import { HttpAgent } from '@ag-ui/client'
import type { Message } from '@ag-ui/core'
import { textOf } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, heldAgent, heldScript, type Script, say } from '@throughline/testing/agent/scripted-agent'
import { loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { testRun } from '@throughline/testing/store/store-rows'
import { describe, expect, test } from 'vitest'
import { SentAnswers } from '../../src/http/ag-ui/sent-answers.ts'

const question: Message = { id: 'question', role: 'user', content: 'How is the weather?' }

const answers: readonly Script[] = ['One.', 'Two.', 'Three.'].map(text => [say(text), finish])

describe('an AG-UI client that drops an answer and sends the message again', () => {
  test('gets another answer, and then another one', async () => {
    await using server = await startServer(answers)
    const { agent } = server
    await agent.runAgent()
    expect(wordsOf(agent)).toEqual(['One.'])
    agent.setMessages([question])
    await agent.runAgent()
    expect(wordsOf(agent)).toEqual(['Two.'])
    agent.setMessages([question])
    await agent.runAgent()
    expect(wordsOf(agent)).toEqual(['Three.'])
    expect(await savedWords(server.url)).toEqual(['How is the weather?', 'Three.'])
    expect(server.given).toHaveLength(3)
  })

  test('gets the same answer in the same run of its own, as often as it asks', async () => {
    await using server = await startServer(answers)
    const { agent } = server
    for (const runId of ['first', 'first', 'second', 'second', 'first']) {
      agent.setMessages([question])
      await agent.runAgent({ runId })
    }
    expect(server.given).toHaveLength(2)
  })

  test('gets the newest answer when it asks again after a cut', async () => {
    const { script, letGo } = heldScript({ before: [say('Two.')] })
    await using server = await startServer([[say('One.'), finish], script])
    const { agent, url } = server
    await agent.runAgent()
    agent.setMessages([question])
    await agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() })
    const ended = fetch(`${url}/api/chat/chat/stream`).then(response => response.text())
    letGo()
    await ended
    agent.setMessages([question])
    await agent.runAgent()
    expect(wordsOf(agent)).toEqual(['Two.'])
    expect(server.given).toHaveLength(2)
    expect(await savedWords(url)).toEqual(['How is the weather?', 'Two.'])
  })
})

describe('an AG-UI client that never got the whole answer', () => {
  test('gets the same one when it sends the message again, and nothing is paid for twice', async () => {
    const { agent: held, letGo } = heldAgent('assistant', {
      before: [say('Half')],
      after: [say(' and half.')],
    })
    await using server = await startTestServer({ agents: [held] })
    await using cut = new SseBytes(await request(server.url, 'first'))
    await cut.until('Half')
    await cut[Symbol.asyncDispose]()
    letGo()
    await (await fetch(`${server.url}/api/chat/chat/stream`)).text()
    const again = valuesOf(await new SseBytes(await request(server.url, 'second')).rest())
    expect(again.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('gets the same one when it has a part of it', async () => {
    await using server = await startServer(answers)
    const { agent } = server
    await agent.runAgent()
    await agent.runAgent()
    expect(wordsOf(agent)).toEqual(['One.'])
    expect(server.given).toHaveLength(1)
  })

  test('gets the same one while it is being written', async () => {
    const { agent: held, letGo } = heldAgent('assistant', {
      before: [say('Half')],
      after: [say(' and half.')],
    })
    await using server = await startTestServer({ agents: [held] })
    await using first = new SseBytes(await request(server.url, 'first'))
    await first.until('Half')
    await using second = new SseBytes(await request(server.url, 'second'))
    await second.until('Half')
    letGo()
    await Promise.all([first.rest(), second.rest()])
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })
})

describe('an AG-UI client that asks for another answer by name', () => {
  const regenerate = { forwardedProps: { throughline: { trigger: 'regenerate-message' } } }

  test('gets one to its last message, once per run of its own', async () => {
    await using server = await startServer(answers)
    const { agent } = server
    await agent.runAgent()
    agent.setMessages([question])
    await agent.runAgent({ runId: 'again', ...regenerate })
    agent.setMessages([question])
    await agent.runAgent({ runId: 'again', ...regenerate })
    expect(wordsOf(agent)).toEqual(['Two.'])
    expect(server.given).toHaveLength(2)
  })

  test('gets one to an earlier message, named by that or by its answer', async () => {
    await using server = await startServer(answers)
    const { agent, url } = server
    await agent.runAgent()
    agent.addMessage({ ...question, id: 'second' })
    await agent.runAgent()
    const [, first] = (await loadChat(url)).messages
    const throughline = { trigger: 'regenerate-message', messageId: first?.id }
    await agent.runAgent({ forwardedProps: { throughline } })
    expect(await savedWords(url)).toEqual(['How is the weather?', 'Three.'])
  })

  test('is told when there is no such message', async () => {
    await using server = await startServer(answers)
    const forwardedProps = { throughline: { trigger: 'regenerate-message' } }
    const response = await request(server.url, 'run', { forwardedProps })
    expect(await response.json()).toMatchObject({ status: 404, code: 'message-not-found' })
  })
})

test('of the answers that were told, only the newest are remembered', () => {
  const sent = new SentAnswers(2)
  const runs = ['run-1', 'run-2', 'run-3'].map(id => testRun(id, { userMessageId: id }))
  for (const run of runs) sent.add(run, 'mine')
  expect(runs.map(run => sent.wasSentBefore(run, 'other'))).toEqual([false, true, true])
  expect(runs.map(run => sent.wasSentBefore(run, 'mine'))).toEqual([false, false, false])
})

async function startServer(scripts: readonly Script[]) {
  const { agent: scripted, given } = recordingAgent(scripts)
  const server = await startTestServer({ agents: [scripted] })
  const { url } = server
  const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId: 'chat', initialMessages: [question] })
  return { url, given, agent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function request(url: string, runId: string, fields: object = {}): Promise<Response> {
  return sendJson(`${url}/ag-ui`, { threadId: 'chat', runId, messages: [question], ...fields })
}

function wordsOf({ messages }: HttpAgent): readonly unknown[] {
  return messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
}

async function savedWords(url: string): Promise<readonly string[]> {
  return (await loadChat(url)).messages.map(textOf)
}

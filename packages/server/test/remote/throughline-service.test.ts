import { type AgentEvent, remoteAgent } from '@throughline/agents'
import type { Message } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { ask, loadAnswer, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { type ChildServer, startBundledServer } from '@throughline/testing/server/child-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { answerAfter, answerOf, answerStoppedAfter, linesOf } from './remote-service.ts'

function agentAt({ url }: { readonly url: string }, options: { readonly reconnectMs?: number } = {}) {
  return remoteAgent({
    name: 'support',
    displayName: 'Support',
    url: `${url}/api/chat`,
    form: 'throughline',
    ...options,
  })
}

const textToolTextLines = [
  'Let me look. ',
  'weather {"city":"Lisbon"} -> {"sky":"clear","degrees":21}',
  'The sky is clear.',
]

test('text, a tool and text of another Throughline are shown in order, with their usage', async () => {
  await using other = await startTestServer()
  const answer = await answerOf(agentAt(other))
  expect(linesOf(answer)).toEqual(textToolTextLines)
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    usage: { inputTokens: 30, outputTokens: 12, totalTokens: 42, byModel: { unknown: { totalTokens: 42 } } },
  })
})

test('parallel tools and the reasoning of another Throughline are shown', async () => {
  const [one, two] = [weatherCall('one'), weatherCall('two')]
  await using other = await startTestServer({
    agents: [
      scriptedAgent('assistant', [
        { type: 'reasoning-delta', text: 'Hm.' },
        { type: 'tool-call', ...one },
        { type: 'tool-call', ...two },
        { type: 'tool-error', ...two, errorText: 'broken' },
        { type: 'tool-result', ...one, output: 21 },
        say('Done.'),
        finish,
      ]),
    ],
  })
  expect(linesOf(await answerOf(agentAt(other)))).toEqual([
    '(Hm.)',
    'weather {"city":"Lisbon"} -> 21',
    'weather {"city":"Lisbon"} -> broken',
    'Done.',
  ])
})

test('an error of another Throughline ends the answer as failed, and what was said is kept', async () => {
  await using other = await startTestServer({
    agents: [scriptedAgent('assistant', [say('Well, '), { type: 'error', error: new Error('a secret') }])],
  })
  const answer = await answerOf(agentAt(other))
  expect(linesOf(answer)).toEqual(['Well, '])
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText:
      'The service of Support reported an error: The answer broke off because of an error. What was said so far is kept; try again.',
  })
})

test('a stop stops the run of the other Throughline, too', async () => {
  const heard = Promise.withResolvers<unknown>()
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    signal.addEventListener('abort', () => heard.resolve(signal.reason))
    yield say('Wait for it')
    await new Promise(() => undefined)
  })
  await using other = await startTestServer({ agents: [agent] })
  const answer = await answerStoppedAfter(agentAt(other), 'Wait')
  expect(answer.metadata).toMatchObject({ status: 'stopped' })
  expect(await heard.promise).toMatchObject({ status: 'stopped' })
})

test('when the connection is cut in mid-answer, it is continued and nothing is lost or doubled', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Before. ')], after: [say('After.')] })
  await using other = await startTestServer({ agents: [agent] })
  await using proxy = await startFaultProxy(other.url)
  const answer = await answerAfter(agentAt(proxy), 'Before', () => {
    proxy.resetAll()
    letGo()
  })
  expect(linesOf(answer)).toEqual(['Before. After.'])
  expect(answer.metadata).toMatchObject({ status: 'finished' })
  expect(proxy.connectionCount).toBeGreaterThan(1)
})

test('a question whose connection breaks before the response is sent again, and is answered once', async () => {
  const counts = { runs: 0 }
  const agent = scriptedAgent('assistant', () => {
    counts.runs += 1
    return [say('Once.'), finish]
  })
  await using other = await startTestServer({ agents: [agent] })
  await using proxy = await startFaultProxy(other.url, connection =>
    connection < 3 ? { type: 'reset', afterBytes: 100 + 300 * connection } : { type: 'none' },
  )
  expect(linesOf(await answerOf(agentAt(proxy)))).toEqual(['Once.'])
  expect(counts.runs).toBe(1)
})

test('an answer over connections that break every few bytes is the whole answer', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  const events = numbers.flatMap((number): AgentEvent[] => [
    { type: 'tool-result', ...weatherCall(`call-${number}`), output: number },
    say(`It is ${number}.`),
  ])
  await using other = await startTestServer({ agents: [scriptedAgent('assistant', [...events, finish])] })
  await using proxy = await startFaultProxy(other.url, connection => {
    if (connection >= 8) return { type: 'none' }
    return { type: connection % 2 === 0 ? 'cut' : 'reset', afterBytes: 3_000 - 100 * connection }
  })
  const answer = await answerOf(agentAt(proxy))
  expect(linesOf(answer)).toEqual(
    numbers.flatMap(number => [`weather {"city":"Lisbon"} -> ${number}`, `It is ${number}.`]),
  )
  expect(answer.metadata).toMatchObject({ status: 'finished' })
  expect(proxy.connectionCount).toBeGreaterThan(3)
})

test('when another Throughline goes away for good, the answer ends named and nothing shown is lost', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Let me look. ')] })
  await using other = await startTestServer({ agents: [agent] })
  const proxy = await startFaultProxy(other.url)
  const answer = await answerAfter(agentAt(proxy, { reconnectMs: 300 }), 'Let me look', () => {
    void proxy[Symbol.asyncDispose]()
  })
  expect(linesOf(answer)).toEqual(['Let me look. '])
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support ended in mid-answer. What it said so far is kept; try again.',
  })
})

test('when another Throughline is killed and started again, the answer goes on there, and both end with the same words', async () => {
  await using folder = await temporaryFolder()
  await using first = await startBundledServer(folder.path)
  const restarted = Promise.withResolvers<ChildServer>()
  const answer = await answerAfter(agentAt(first, { reconnectMs: 60_000 }), 'text-delta', async () => {
    await first.end('SIGKILL')
    startBundledServer(folder.path, { PORT: new URL(first.url).port }).then(
      restarted.resolve,
      restarted.reject,
    )
  })
  await using second = await restarted.promise
  expect(answer.metadata).toMatchObject({ status: 'finished' })
  const { chats } = chatList.parse(await (await fetch(`${second.url}/api/chats`)).json())
  const kept = await loadAnswer(second.url, chats[0]?.id)
  expect(kept.metadata).toMatchObject({ status: 'finished' })
  expect(kept.id).toBe(answer.id)
  expect(linesOf(kept)).toEqual(linesOf(answer))
})

const chatList = z.object({ chats: z.array(z.object({ id: z.string() })) })

test('the other Throughline remembers the conversation, and follows edits and other answers', async () => {
  const read: string[][] = []
  const counting = scriptedAgent('assistant', ({ messages }) => {
    read.push(messages.map(textIn))
    return [say(`Answer ${read.length}`), finish]
  })
  await using other = await startTestServer({ agents: [counting] })
  await using server = await startTestServer({ agents: [agentAt(other)] })
  await (await ask(server.url, { messageId: 'q1', text: 'One?' })).text()
  await (await ask(server.url, { messageId: 'q2', text: 'Two?' })).text()
  const { messages } = await loadChat(server.url)
  const again = { id: 'chat', messages: messages.slice(0, 3), trigger: 'regenerate-message' }
  await (await sendJson(`${server.url}/api/chat`, again)).text()
  const edit = { id: 'q3', role: 'user', parts: [{ type: 'text', text: 'Instead?' }] }
  await (await sendJson(`${server.url}/api/chat`, { id: 'chat', messages: [edit], after: '' })).text()
  expect(read).toEqual([['One?'], ['One?', 'Answer 1', 'Two?'], ['One?', 'Answer 1', 'Two?'], ['Instead?']])
  expect((await loadChat(server.url)).messages.map(textIn)).toEqual(['Instead?', 'Answer 4'])
})

function textIn({ parts }: Message): string {
  return parts.map(part => (part.type === 'text' && 'text' in part ? part.text : '')).join('')
}

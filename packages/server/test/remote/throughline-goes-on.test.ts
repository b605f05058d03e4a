import { type AgentEvent, remoteAgent } from '@throughline/agents'
import { isEndChunk, isToolPart, type Message } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { dieAtEntry } from '@throughline/testing/faults/die-at-entry'
import { loadChat, submit } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { delegating } from '@throughline/testing/server/delegating-server'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'
import { linesOf } from './remote-service.ts'

const [one, two] = [weatherCall('one'), weatherCall('two')]
const events: readonly AgentEvent[] = [
  { type: 'step-start' },
  { type: 'reasoning-delta', text: 'Hm. ' },
  say('Let me '),
  say('look. '),
  { type: 'tool-input-start', toolCallId: 'one', toolName: 'weather' },
  { type: 'tool-input-delta', toolCallId: 'one', text: '{"city":"Lisbon"}' },
  { type: 'tool-call', ...one },
  { type: 'tool-call', ...two },
  { type: 'tool-result', ...two, output: 22 },
  { type: 'tool-result', ...one, output: 21 },
  { type: 'step-end' },
  { type: 'step-start' },
  say('The sky '),
  say('is clear.'),
  { type: 'step-end' },
  finish,
]

function agentAt({ url }: { readonly url: string }) {
  return remoteAgent({ name: 'support', url: `${url}/api/chat`, form: 'throughline' })
}

test('an answer of another Throughline goes on wherever the process dies that shows it, and nothing comes twice', async () => {
  await using other = await startTestServer({ agents: [scriptedAgent('assistant', events)] })
  let next = 0
  let hasOutlived = false
  const lane = async () => {
    while (!hasOutlived) {
      const count = next
      next += 1
      const { messages, died } = await diesAt({ agents: [agentAt(other)] }, count)
      hasOutlived ||= !died
      const [answer] = messagesBy(messages, 'support')
      expect(answer?.metadata?.status).toBe('finished')
      expect(answer && saidIn(answer)).toEqual(said)
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
}, 300_000)

const said = { reasoning: 'Hm. ', text: 'Let me look. The sky is clear.', outputs: [21, 22] }

/** Parts may be cut in two. A call whose input was cut is closed, and comes again in whole. */
function saidIn({ parts }: Message): typeof said {
  const textOf = (type: 'text' | 'reasoning') =>
    parts.map(part => (part.type === type ? part.text : '')).join('')
  const outputs = parts.flatMap(part => (isToolPart(part) && part.output !== undefined ? [part.output] : []))
  return { reasoning: textOf('reasoning'), text: textOf('text'), outputs: outputs.map(Number) }
}

test('a sub-agent that another Throughline writes gets the result of the call that it was waiting for', async () => {
  const held = heldAgent('assistant', {
    before: [{ type: 'step-start' }, say('Let me look. '), { type: 'tool-call', ...one }],
    after: [{ type: 'tool-result', ...one, output: 21 }, { type: 'step-end' }],
  })
  await using other = await startTestServer({ agents: [held.agent] })
  const model = scriptedModel({ master: [[asking('support')], [saying('Done.')]] })
  const { agents = [], ...options } = delegating({ model, subAgents: [agentAt(other)] })
  const isCalled = (text: string) => text.includes('"input-available"') && text.includes('Lisbon')
  const { messages } = await diesWhen({ ...options, agents }, isCalled, held.letGo)
  const [support] = messagesBy(messages, 'support')
  expect(support?.metadata?.status).toBe('finished')
  expect(support && linesOf(support)).toEqual(['Let me look. ', 'weather {"city":"Lisbon"} -> 21'])
})

async function diesAt(options: TestServerOptions, count: number) {
  await using opened = await temporaryStore()
  const dying = dieAtEntry(opened.store, count)
  const server = { agents: [], ...options, logger: pino({ level: 'silent' }), port: 0 }
  await using first = await startServer({ ...server, store: dying.store })
  using _ = { [Symbol.dispose]: () => dying.bury() }
  void submit(first.url).catch(() => undefined)
  const died = await Promise.race([dying.dead.then(() => true), ended(first.url).then(() => false)])
  await using second = died ? await startServer({ ...server, store: opened.store }) : undefined
  return { died, messages: await ended((second ?? first).url) }
}

/** Lets another process go on when the chat has this, and does something after that. */
async function diesWhen(options: TestServerOptions, isSeen: (text: string) => boolean, act: () => void) {
  await using opened = await temporaryStore()
  const { store } = opened
  const server = { agents: [], ...options, logger: pino({ level: 'silent' }), port: 0 }
  await using first = await startServer({ ...server, store })
  void submit(first.url).catch(() => undefined)
  await expect.poll(async () => isSeen(JSON.stringify(await loadChat(first.url)))).toBe(true)
  await using second = await startServer({ ...server, store })
  await expect.poll(async () => JSON.stringify(await loadChat(second.url))).toContain('continued-1-')
  act()
  return { messages: await ended(second.url) }
}

async function ended(url: string) {
  const isOver = async () => {
    const { messages } = await loadChat(url)
    const answer = messages.find(({ role }) => role === 'assistant')
    const status = answer?.metadata?.status
    return status !== undefined && status !== 'streaming'
  }
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
  const [{ messages }, entries] = [await loadChat(url), await readLog(url)]
  expect(replay(entries)).toEqual(messages)
  const ids = entries.filter(({ chunk }) => isEndChunk(chunk)).map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(ids.length)
  return messages
}

import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { effectScope } from 'vue'
import type { ChatCallbacks } from '../../src/chat/chat-options.ts'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { Chat } from '../../src/chat/create-chat.ts'
import { useAgentChat } from '../../src/vue.ts'
import { turnUntil } from '../turn-until.ts'
import { hasAnswers, recordChat } from './recorded-chat.ts'
import { reactViewer } from './viewers.ts'

afterEach(() => void vi.restoreAllMocks())

const working = scriptedAgent('assistant', [
  say('Let me look.'),
  { type: 'ui-event', data: { type: 'open-url', url: 'https://example.com' } },
  { type: 'tool-call', ...weatherCall() },
  { type: 'tool-result', ...weatherCall(), output: 'clear' },
  finish,
])

describe('onData', () => {
  test('is told every data part as it comes, with the id of its message, and UI events are told as such too', async () => {
    await using server = await startTestServer({ agents: [working] })
    const { told, callbacks } = recorded()
    using chat = recordChat(server.url, callbacks)
    await chat.store.send('Hi')
    const { messages } = await chat.until(hasAnswers(1))
    const [user, answer] = messages
    expect(told.data.map(([{ type }, messageId]) => [type, messageId])).toEqual([
      ['data-message', user?.id],
      ['data-ui-event', answer?.id],
      ['data-step', answer?.id],
      ['data-step', answer?.id],
    ])
    expect(told.uiEvents).toEqual([{ type: 'open-url', url: 'https://example.com' }])
  })
})

describe('onFinish', () => {
  test.each<[string, Parameters<typeof scriptedAgent>[1], string]>([
    ['finished', [say('Yes.'), finish], 'Yes.'],
    [
      'failed',
      async function* () {
        yield say('Well, ')
        throw new Error('no')
      },
      'Well, ',
    ],
  ])('is told of an answer that %s, as it is shown then', async (status, script, text) => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', script)] })
    const { told, callbacks } = recorded()
    using chat = recordChat(server.url, callbacks)
    await chat.store.send('Hi')
    const { messages } = await chat.until(hasAnswers(1))
    expect(told.finished).toEqual([{ message: messages[1] }])
    expect(messages[1]).toMatchObject({ metadata: { status }, parts: [{ type: 'text', text }] })
  })

  test('is told of an answer that was stopped', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    const { told, callbacks } = recorded()
    using chat = recordChat(server.url, callbacks)
    await chat.store.send('Hi')
    await chat.until(({ status }) => status === 'streaming')
    await chat.store.stop()
    await chat.until(hasAnswers(1))
    expect(told.finished).toMatchObject([{ message: { metadata: { status: 'stopped' } } }])
  })

  test('is not told of a sub-agent’s message', async () => {
    const model = scriptedModel({
      master: [[asking('worker')], [saying('Done.')]],
      worker: [[saying('Worked.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('worker', {})] })
    const { told, callbacks } = recorded()
    using chat = recordChat(server.url, callbacks)
    await chat.store.send('Hi')
    await chat.until(({ status, messages }) => status === 'ready' && messages.length === 3)
    expect(told.finished).toHaveLength(1)
    expect(told.finished).toMatchObject([{ message: { metadata: { agent: { kind: 'master' } } } }])
  })

  test('is told once, over a broken connection too, and not of answers that were there before', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    await using proxy = await startFaultProxy(server.url)
    const { told, callbacks } = recorded()
    using chat = recordChat(proxy.url, callbacks)
    await chat.store.send('Hi')
    await chat.until(({ status }) => status === 'streaming')
    proxy.resetAll()
    letGo()
    await chat.until(hasAnswers(1))
    expect(told.finished).toHaveLength(1)

    const later = recorded()
    using second = recordChat(server.url, later.callbacks)
    await second.until(hasAnswers(1))
    expect(later.told).toEqual({ data: [], uiEvents: [], finished: [] })
  })
})

test('a callback that throws is reported, and the chat goes on', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  await using server = await startTestServer({ agents: [working] })
  const fail = () => {
    throw new Error('no')
  }
  using chat = recordChat(server.url, { onData: fail, onUiEvent: fail, onFinish: fail })
  await chat.store.send('Hi')
  const { connection, error } = await chat.until(hasAnswers(1))
  expect([connection, error]).toEqual(['open', undefined])
  await vi.waitFor(() => expect(log).toHaveBeenCalledTimes(4 + 1 + 1), { timeout: waitLimitMs() })
})

test('a listener that throws is reported, and neither the chat nor the other listeners notice', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  await using server = await startTestServer({ agents: [working] })
  // Calling back at once puts the listener into the loop that follows the log.
  const store = new Chat({ url: server.url, chatId: 'chat', onFrame: callback => callback() })
  const failure = new Error('no')
  store.subscribe(() => {
    throw failure
  })
  const heard: ChatSnapshot[] = []
  store.subscribe(() => heard.push(store.getSnapshot()))
  store.open()
  await store.send('Hi')
  await turnUntil(() => heard.some(hasAnswers(1)))
  store.close()
  expect(heard.at(-1)).toMatchObject({ connection: 'open', error: undefined })
  await vi.waitFor(() => expect(log).toHaveBeenCalledWith(failure), { timeout: waitLimitMs() })
})

test('a React page and a Vue page are told the same', async () => {
  await using server = await startTestServer({ agents: [working] })
  using first = recordChat(server.url)
  await first.store.send('Hi')
  await first.untilSaved(1)

  const [program, react, vue] = [recorded(), recorded(), recorded()]
  const options = { url: server.url, onFrame: (callback: () => void) => void setImmediate(callback) }
  using chat = recordChat(server.url, program.callbacks)
  using inReact = reactViewer({ ...options, chatId: 'chat', ...react.callbacks })
  const scope = effectScope()
  const inVue = scope.run(() => useAgentChat({ ...options, chatId: 'chat', ...vue.callbacks }))
  await Promise.all([chat.until(hasAnswers(1)), inReact.until(hasAnswers(1))])
  await turnUntil(() => inVue !== undefined && hasAnswers(1)(inVue.chat.value))
  await chat.store.send('And again')
  const all = [program, react, vue]
  await turnUntil(() => all.every(({ told }) => told.finished.length === 1))
  scope.stop()
  expect(react.told).toEqual(program.told)
  expect(vue.told).toEqual(program.told)
})

function recorded() {
  const data: Parameters<NonNullable<ChatCallbacks['onData']>>[] = []
  const uiEvents: unknown[] = []
  const finished: unknown[] = []
  const callbacks: ChatCallbacks = {
    onData: (...given) => data.push(given),
    onUiEvent: event => uiEvents.push(event),
    onFinish: event => finished.push(event),
  }
  return { told: { data, uiEvents, finished }, callbacks }
}

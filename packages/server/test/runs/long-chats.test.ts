import { isChatId, isOwnerId } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { ask, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import { expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

const chat = { ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') }
const old = (...numbers: readonly number[]) => numbers.map(number => `old-${number}`)

test('an agent is given the newest messages within the limit, beginning with a question', async () => {
  const { agent, given } = recordingAgent()
  const system = agentSystem({ limits: { maxHistoryMessages: 3 } })
  await using server = await startTestServer({ agents: [agent], system })
  await saveHistory(server.store, { ...chat, count: 10 })
  await (await ask(server.url)).text()
  expect(given).toEqual([[...old(8, 9), 'question']])
})

test('an agent is given the newest messages that are small enough together', async () => {
  const { agent, given } = recordingAgent()
  const system = agentSystem({ limits: { maxHistoryBytes: 200 } })
  await using server = await startTestServer({ agents: [agent], system })
  await saveHistory(server.store, { ...chat, count: 10 })
  await (await ask(server.url)).text()
  expect(given).toEqual([[...old(6, 7, 8, 9), 'question']])
})

test('an agent is given all messages of a chat that is within the limits', async () => {
  const { agent, given } = recordingAgent()
  await using server = await startTestServer({ agents: [agent] })
  await saveHistory(server.store, { ...chat, count: 300 })
  await (await ask(server.url)).text()
  expect(given).toEqual([[...Array.from({ length: 300 }, (_, index) => `old-${index}`), 'question']])
})

test('a POST to a long chat reads no list of all its messages', async () => {
  const { agent } = recordingAgent()
  await using server = await startTestServer({
    agents: [agent],
    wrapStore: store => {
      const refuse = () => Promise.reject(new Error('This reads the whole chat.'))
      return { ...store, messages: { ...store.messages, load: refuse, outline: refuse, places: refuse } }
    },
  })
  await saveHistory(server.store, { ...chat, count: 20 })
  const own = await submit(server.url, { messageId: 'own', fields: { after: 'old-19' } })
  expect(own.status).toBe(202)
  const branch = await submit(server.url, {
    messageId: 'branch',
    fields: { after: 'old-3', onBusy: 'queue' },
  })
  expect(branch.status).toBe(202)
  expect(await server.store.messages.previous(chat, 'branch')).toBe('old-3')
  const shown = [
    { id: 'old-18', role: 'user', parts: [{ type: 'text', text: 'Message 18' }] },
    { id: 'old-19', role: 'assistant', parts: [{ type: 'text', text: 'Message 19' }] },
    { id: 'stock', role: 'user', parts: [{ type: 'text', text: 'Hello?' }] },
  ]
  const stock = await ask(server.url, { fields: { messages: shown } })
  expect(await stock.text()).toContain('Answer')
  expect(await server.store.messages.previous(chat, 'stock')).toBe('old-19')
})

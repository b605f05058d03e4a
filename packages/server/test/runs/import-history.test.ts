import { isChatId, textOf } from '@throughline/protocol'
import type { Store } from '@throughline/store/testing'
import { scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { dieAtEntry } from '@throughline/testing/faults/die-at-entry'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { messageIdOf } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ActiveRuns } from '../../src/engine/active-runs.ts'
import type { SubmittedMessage } from '../../src/engine/saved-history.ts'
import { type ImportedHistory, importHistory } from '../../src/runs/import-history.ts'
import { startServer } from '../../src/start-server.ts'

const message = (role: 'user' | 'assistant', text: string): SubmittedMessage => {
  return {
    id: messageIdOf(text),
    role,
    parts: [{ type: 'text', text }],
    metadata: { createdAt: '2026-01-02T03:04:05Z' },
  }
}
const history: ImportedHistory = {
  ownerId: ownerIdOf('local'),
  chatId: idOf(isChatId, 'trip'),
  agent: 'assistant',
  messages: [message('user', 'One'), message('assistant', 'First'), message('user', 'Two')],
}

test('messages that were written elsewhere are the same in the rows and in the log', async () => {
  await using server = await startTestServer()
  expect(await importHistory(optionsWith(server.store), history)).toBe(true)
  const { messages } = await loadChat(server.url, 'trip')
  expect(messages.map(({ role, ...each }) => `${role}: ${textOf({ role, ...each })}`)).toEqual([
    'user: One',
    'assistant: First',
    'user: Two',
  ])
  expect(replay(await readLog(server.url, 'trip'))).toEqual(messages)
  expect((await server.store.chats.get(history))?.title).toBe('One')
  expect(await server.store.runs.active(history)).toBeUndefined()
})

test('a chat that exists already stays as it is', async () => {
  await using server = await startTestServer()
  const options = optionsWith(server.store)
  await importHistory(options, history)
  expect(await importHistory(options, { ...history, messages: [message('user', 'Three')] })).toBe(false)
  expect((await loadChat(server.url, 'trip')).messages).toHaveLength(3)
})

test('a chat is free again after a failure of the store', async () => {
  await using server = await startTestServer()
  const { store } = server
  let failures = 1
  const runs: Store['runs'] = {
    ...store.runs,
    end: async (run, end) => {
      failures -= 1
      if (failures >= 0) throw new Error('The disk is full.')
      return store.runs.end(run, end)
    },
  }
  const options = optionsWith({ ...store, runs })
  await expect(importHistory(options, history)).rejects.toThrow('The disk is full.')
  await options.active.of(history)?.ended
  expect(await store.runs.active(history)).toBeUndefined()
  expect((await loadChat(server.url, 'trip')).messages).toHaveLength(3)
})

test.each([0, 1, 2])(
  'after %d of its messages a process dies, and the next one writes the rest',
  async count => {
    await using opened = await temporaryStore()
    const { store } = opened
    const dying = dieAtEntry(store, count)
    using _ = { [Symbol.dispose]: () => dying.bury() }
    void importHistory(optionsWith(dying.store), history)
    await dying.dead
    await using server = await startServer({
      agents: [scriptedAgent('assistant', [])],
      store,
      logger: pino({ level: 'silent' }),
      port: 0,
    })
    const { messages } = await loadChat(server.url, 'trip')
    expect(messages.map(textOf)).toEqual(['One', 'First', 'Two'])
    expect(replay(await readLog(server.url, 'trip'))).toEqual(messages)
    expect(await store.runs.active(history)).toBeUndefined()
  },
)

function optionsWith(store: Store) {
  const logger = pino({ level: 'silent' })
  return { store, agents: new Map(), logger, now: () => new Date(), active: new ActiveRuns(store.signals) }
}

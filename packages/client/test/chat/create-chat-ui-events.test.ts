import type { AgentEvent } from '@throughline/agents'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { hasAnswers, recordChat, textsOf } from './recorded-chat.ts'

const offer = (name: string): AgentEvent => ({ type: 'ui-event', data: name })

function hasSaid(text: string): (snapshot: ChatSnapshot) => boolean {
  return ({ messages }) => textsOf(messages)[1]?.includes(text) === true
}

test('UI events are told once to those who are there, also over a broken connection', async () => {
  const { agent, letGo } = heldAgent('assistant', {
    before: [offer('early'), say('One. ')],
    after: [offer('late'), say('Two.')],
  })
  await using server = await startTestServer({ agents: [agent] })
  await using proxy = await startFaultProxy(server.url)
  const told: unknown[] = []
  using chat = recordChat(proxy.url, { onUiEvent: data => told.push(data) })
  await chat.store.send('Hello')
  await chat.until(hasSaid('One. '))
  proxy.resetAll()
  await chat.until(({ connection }) => connection === 'lost')
  letGo()
  await chat.until(hasAnswers(1))
  expect(told).toEqual(['early', 'late'])
})

test('UI events are not told again to who opens the chat later, or once more', async () => {
  const { agent, letGo } = heldAgent('assistant', {
    before: [offer('early'), say('One. ')],
    after: [offer('late'), say('Two.')],
  })
  await using server = await startTestServer({ agents: [agent] })
  using first = recordChat(server.url)
  await first.store.send('Hello')
  await first.until(hasSaid('One. '))

  const told: unknown[] = []
  using second = recordChat(server.url, { onUiEvent: data => told.push(data) })
  await second.until(({ connection }) => connection === 'open')
  expect(told).toEqual([])
  letGo()
  await second.until(hasAnswers(1))
  expect(told).toEqual(['late'])

  second.store.close()
  second.store.open()
  await second.until(hasAnswers(1))
  expect(told).toEqual(['late'])
})

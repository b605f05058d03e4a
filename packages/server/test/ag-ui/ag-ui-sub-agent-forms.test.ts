import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent, Message } from '@ag-ui/core'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { expect, test } from 'vitest'

const question: Message = { id: 'question', role: 'user', content: 'How is the weather?' }

const delegation = () => ({
  model: scriptedModel({
    master: [[saying('I ask.'), asking('helper')], [saying('Done.')]],
    helper: [[saying('I note.'), calling('note', { text: 'x' })], [saying('Noted.')]],
  }),
  subAgents: [subAgent('helper', { tools: ['note'] })],
})

test('with sub-agents inline, what they say and do stands among the messages of the answer, with their names', async () => {
  await using server = await startDelegation(delegation())
  const { agent, events } = agentOn(server.url, '?subAgents=inline')
  await agent.runAgent()
  const id = messagesBy((await loadChat(server.url)).messages, 'master')[0]?.id
  expect(JSON.stringify(events)).not.toMatch(/SUBAGENT_|subagentRunId/)
  expect(agent.messages.slice(1)).toMatchObject([
    { name: 'The master', content: 'I ask.', toolCalls: [{ id: `${id}:ask-helper` }] },
    { role: 'tool', toolCallId: `${id}:ask-helper` },
    { name: 'The helper', content: 'I note.', toolCalls: [{}] },
    { role: 'tool', content: '{"noted":"x"}' },
    { name: 'The helper', content: 'Noted.' },
    { name: 'The master', content: 'Done.' },
  ])
  const { messages } = agent
  await agent.runAgent()
  expect(agent.messages).toEqual(messages)
  expect((await loadChat(server.url)).messages).toHaveLength(3)
})

test('with sub-agents hidden, there is the master alone', async () => {
  await using server = await startDelegation(delegation())
  const { agent, events } = agentOn(server.url, '?subAgents=hidden')
  await agent.runAgent()
  expect(JSON.stringify(events)).not.toMatch(/SUBAGENT_|subagentRunId|I note/)
  expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
})

test('a form that is not there is refused before a run is begun', async () => {
  await using server = await startDelegation(delegation())
  const body = { threadId: 'chat', runId: 'run', messages: [question] }
  const refused = await sendJson(`${server.url}/ag-ui?subAgents=envelope`, body)
  expect(await problemOf(refused)).toMatchObject({ status: 400, code: 'unknown-form' })
  expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
})

function agentOn(url: string, form: string) {
  const events: BaseEvent[] = []
  const agent = new HttpAgent({
    url: `${url}/ag-ui${form}`,
    threadId: 'chat',
    initialMessages: [question],
  })
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) })
  return { agent, events }
}

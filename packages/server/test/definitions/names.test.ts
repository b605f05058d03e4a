import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const apart = 'Re\u0301dacteur'
const composed = 'R\u00e9dacteur'

test('an agent of any script is defined, shown, asked, delegated to and deleted', async () => {
  const model = scriptedModel({
    master: [[asking('司仪')], [saying('完成。')]],
    司仪: [[saying('欢迎。')]],
  })
  await using server = await startDelegation({ model })
  const address = `${server.url}/api/agents/${encodeURIComponent('司仪')}`
  const made = await sendJson(address, { systemPrompt: 'You are 司仪.' }, { method: 'PUT' })
  expect(made.status).toBe(201)
  expect(await made.json()).toMatchObject({ name: '司仪', displayName: '司仪' })
  expect(await (await fetch(address)).json()).toMatchObject({ name: '司仪' })
  await (await ask(server.url, { fields: { agent: '司仪' } })).text()
  expect((await loadAnswer(server.url)).metadata).toMatchObject({
    senderName: '司仪',
    agent: { name: '司仪' },
  })
  await (await ask(server.url, { chatId: 'delegated' })).text()
  expect(toolResultsOf(model, 'master')).toContain('欢迎。')
  const answered = await sendJson(`${server.url}/agent/query`, { message: '你好', agent: '司仪' })
  expect(JSON.stringify(await answered.json())).toContain('欢迎。')
  const editor = { systemPrompt: 'Edit.', allowedSubAgents: ['司仪'] }
  const other = await sendJson(`${server.url}/api/agents/editor`, editor, { method: 'PUT' })
  expect(await other.json()).toMatchObject({ allowedSubAgents: ['司仪'], warnings: [] })
  expect((await fetch(address, { method: 'DELETE' })).status).toBe(204)
})

test('a name is the same however its characters are composed', async () => {
  await using server = await startDelegation({ model: scriptedModel({}) })
  const at = (name: string) => `${server.url}/api/agents/${encodeURIComponent(name)}`
  await sendJson(at(apart), { systemPrompt: 'Write.' }, { method: 'PUT' })
  expect(await (await fetch(at(composed))).json()).toMatchObject({ name: composed })
  const again = await sendJson(at(composed), { systemPrompt: 'Write.' }, { method: 'PUT' })
  expect(await problemOf(again)).toMatchObject({ code: 'stale-version' })
})

test('a name with an invisible character is refused, and says why', async () => {
  await using server = await startDelegation({ model: scriptedModel({}) })
  const address = `${server.url}/api/agents/${encodeURIComponent('mas\u200bter')}`
  const problem = await problemOf(await sendJson(address, { systemPrompt: 'Write.' }, { method: 'PUT' }))
  expect(problem).toMatchObject({ status: 400, code: 'invalid-definition' })
  expect(JSON.stringify(problem)).toContain('no invisible characters')
})

test('an agent in code of any script is a model for OpenAI clients, and answers them', async () => {
  const agents = [scriptedAgent('司仪', [say('欢迎。'), finish])]
  await using server = await startTestServer({ agents })
  expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [{ id: '司仪' }] })
  const one = await fetch(`${server.url}/v1/models/${encodeURIComponent('司仪')}`)
  expect(await one.json()).toMatchObject({ id: '司仪' })
  const body = { model: '司仪', messages: [{ role: 'user', content: '你好' }] }
  const completion = await sendJson(`${server.url}/v1/chat/completions`, body)
  expect(await completion.json()).toMatchObject({ choices: [{ message: { content: '欢迎。' } }] })
})

test('a name in code that is not in form C, or that has invisible characters, does not start', async () => {
  for (const name of [apart, 'mas\u200bter'])
    await expect(startTestServer({ agents: [scriptedAgent(name, [finish])] })).rejects.toThrow(
      'No agent can be called',
    )
  expect(subAgent(composed).name).toBe(composed)
  expect(() => subAgent(apart)).toThrow('the name is not allowed')
})

test('a person of any script is asked by name', async () => {
  await using server = await startTestServer({})
  await sendJson(`${server.url}/api/chats/chat/messages`, {
    message: { id: 'question', role: 'user', parts: [{ type: 'text', text: '在吗？' }] },
    agent: `user::${apart}`,
  })
  const { messages } = await loadChat(server.url)
  expect(messages[0]?.metadata).toMatchObject({ receiverName: composed })
})

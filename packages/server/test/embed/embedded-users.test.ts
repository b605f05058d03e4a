import { saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { delegating } from '@throughline/testing/server/delegating-server'
import { defaultAgents } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'

const origin = 'https://app.example'
const url = 'http://127.0.0.1'
const ada = { cookie: 'session=ada' }

test('through fetch, sessions, origins and tickets are the same as over a socket', async () => {
  await using temporary = await temporaryStore()
  await using throughline = await createThroughline({
    store: temporary.store,
    agents: defaultAgents(),
    origins: [origin],
    authenticate: ({ headers }) =>
      headers.get('cookie') === 'session=ada' ? { ownerId: 'ada', displayName: 'Ada' } : undefined,
  })
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>>) =>
    throughline.fetch(
      new Request(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  const message = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
  const asked = { id: 'chat', messages: [message] }

  const stream = await post('/api/chat', asked, { ...ada, origin })
  expect(stream.headers.get('access-control-allow-origin')).toBe(origin)
  expect(stream.headers.get('vary')).toBe('Origin')
  expect(await stream.text()).toContain('"receiverName":"Ada"')

  expect((await post('/api/chat', asked, { origin })).status).toBe(401)
  expect((await post('/api/chat', asked, { ...ada, origin: 'https://evil.example' })).status).toBe(403)

  const { ticket } = await (await post('/api/tickets', { chatId: 'chat' }, ada)).json()
  const opened = await throughline.fetch(new Request(`${url}/api/chats/chat/log?ticket=${ticket}`))
  expect(opened.status).toBe(200)
  await opened.body?.cancel()
  const other = await throughline.fetch(new Request(`${url}/api/chats/other/log?ticket=${ticket}`))
  expect(other.status).toBe(401)
})

test('a message that the application sends keeps to the tools of the person it is for', async () => {
  const model = scriptedModel({ master: [[saying('Hello.')]] })
  const { agents = [], system } = delegating({ model, toolKeys: ['*'] })
  await using temporary = await temporaryStore()
  await using throughline = await createThroughline({
    store: temporary.store,
    agents,
    ...(system && { system }),
  })
  const sent = { ownerId: 'ada', chatId: 'chat', text: 'Hi', displayName: 'Ada', tools: ['note'] }
  await throughline.send(sent)
  for await (const { chunk } of throughline.follow(sent)) if (chunk.type === 'finish') break
  expect(model.doStreamCalls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['note']])
})

test('a misspelled origin is refused when it is made', async () => {
  await using temporary = await temporaryStore()
  const made = createThroughline({
    store: temporary.store,
    agents: defaultAgents(),
    origins: ['app.example'],
  })
  await expect(made).rejects.toMatchObject({ code: 'origins' })
})

import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

test('the agent begins while the first entries are being written, and its answer comes after them', async () => {
  const hasBegun = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* () {
    hasBegun.resolve()
    yield say('Hello')
    yield finish
  })
  await using server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      log: {
        ...store.log,
        async append(lease, after, drafts) {
          await hasBegun.promise
          return store.log.append(lease, after, drafts)
        },
      },
    }),
  })
  const text = await (await ask(server.url)).text()
  expect([...text.matchAll(/"type":"([a-z-]+)"/g)].map(([, type]) => type)).toEqual([
    'start',
    'text-start',
    'text-delta',
    'text-end',
    'finish',
  ])
  const { messages } = await loadChat(server.url)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('the response begins while an agent writes without a pause', async () => {
  const isLeft = Promise.withResolvers<void>()
  let isWanted = true
  const agent = scriptedAgent('assistant', async function* () {
    while (isWanted) {
      yield say('twelve chars')
      await new Promise(resolve => setImmediate(resolve))
    }
    yield finish
    isLeft.resolve()
  })
  await using server = await startTestServer({ agents: [agent] })
  const response = await ask(server.url)
  isWanted = false
  expect(await response.text()).toContain('[DONE]')
  await isLeft.promise
})

import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat, submit, userMessage } from '@throughline/testing/http/chat-requests'
import { sharedStores } from '@throughline/testing/store/shared-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
import { startServer } from '../../src/start-server.ts'
import { type Attempt, attempts, unknownIds } from '../security/route-attempts.ts'

const logger = pino({ level: 'silent' })

test('a node that has left its runs to others responds to every route, and never with 500', async () => {
  await using shared = await sharedStores[0].sharedStore()
  const { store } = shared
  const held = heldAgent('assistant', { before: [say('I begin.')] })
  const quickOrHeld = scriptedAgent('assistant', request =>
    JSON.stringify(request.messages).includes('Hold.') ? held.agent.run(request) : [say('Yes.'), finish],
  )
  const common = { store, logger, port: 0, drainMs: 0 }
  await using other = await startServer({ ...common, agents: [{ ...quickOrHeld, continues: true }] })
  const agents = [{ ...held.agent, continues: true }]
  const leaving = await createThroughline({ ...common, agents, finishMs: 60_000 })
  const body = { id: 'held', messages: [userMessage({ text: 'Hold.' })] }
  const stream = await leaving.fetch(requestOf('POST', { path: '/api/chat', body }))
  const routes = Object.entries(attempts)
  for (const index of routes.keys()) await submit(other.url, { chatId: `chat-${index}` })
  const closed = leaving.close()
  // It stays open for the stream, which shows what the other node writes.
  await expect.poll(async () => JSON.stringify(await loadChat(other.url, 'held'))).toContain('data-continued')

  const wrong = await Promise.all(
    routes.flatMap(([route, attempt], index) =>
      [`chat-${index}`, `new-${index}`].map(async chatId => {
        const response = await leaving.fetch(requestOf(route, attempt(chatId, unknownIds)))
        await response.body?.cancel()
        const isRefused = response.status === 503 && response.headers.has('retry-after')
        return response.status < 500 || isRefused ? [] : [route, response.status]
      }),
    ),
  )
  expect(wrong.flat()).toEqual([])
  held.letGo()
  expect(await stream.text()).toContain('[DONE]')
  await closed
})

function requestOf(route: string, { path, body }: Attempt): Request {
  const [method = ''] = route.split(' ')
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
  return new Request(`http://localhost${path}`, { method, ...sent })
}

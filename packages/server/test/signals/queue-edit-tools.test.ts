import { currentFrame } from '@throughline/agents'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { sharedStores, startNodes } from '@throughline/testing/server/start-nodes'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'

test.each([
  ['fewer', 'time,files', 'time', 'time as guest'],
  ['more', 'time', 'time,files', 'time,files as guest'],
  ['no', '*', '', ' as guest'],
  ['all', 'time', '*', 'all as guest'],
])('the run of a message has the tools and roles of who edited it while it waited: %s', async (...each) => {
  const [, queuedWith, editedWith, expected] = each
  const [{ open }] = sharedStores
  const held = heldAgent('assistant', { before: [say('Wait')] })
  const agent = scriptedAgent('assistant', request => {
    if (request.messages.at(-1)?.id === 'question') return held.agent.run(request)
    const { permittedTools, roles } = currentFrame().run
    return [say(`${permittedTools ? [...permittedTools].join() : 'all'} as ${roles?.join()}`), finish]
  })
  await using nodes = await startNodes({
    open,
    agents: [agent],
    authenticate: ({ headers }) => ({
      ownerId: 'ada',
      roles: [headers.get('x-role') ?? ''],
      tools: (headers.get('x-tools') ?? '').split(',').filter(key => key !== ''),
    }),
  })
  const queuer = { 'x-tools': queuedWith, 'x-role': 'boss' }
  const stream = new SseBytes(await ask(nodes.first, { headers: queuer }))
  await stream.until('Wait')
  const fields = { onBusy: 'queue' }
  const answer = ask(nodes.first, { messageId: 'a', text: 'This', headers: queuer, fields })
  const [run] = await nodes.store.runs.unfinished()
  if (run === undefined) throw new Error('No run goes on.')
  await until(async () => (await nodes.store.waitingSubmissions.list(run)).length === 1)
  const headers = { 'x-tools': editedWith, 'x-role': 'guest' }
  const url = `${nodes.second}/api/chats/chat/queue/a`
  expect((await sendJson(url, { text: 'That' }, { headers, method: 'PATCH' })).status).toBe(200)
  held.letGo()
  expect(await (await answer).text()).toContain(`"delta":"${expected}"`)
})

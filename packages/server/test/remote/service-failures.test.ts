import { once } from 'node:events'
import { createServer } from 'node:net'
import { Writable } from 'node:stream'
import { type RemoteAgentOptions, remoteAgent } from '@throughline/agents'
import { encodeSse } from '@throughline/protocol'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { answerOf, linesOf, startRemoteService, startSseService } from './remote-service.ts'

const secret = 'a-key-that-nobody-may-see'

function agentAt(url: string, options: Partial<RemoteAgentOptions> = {}) {
  const headers = { authorization: `Bearer ${secret}` }
  return remoteAgent({ name: 'support', displayName: 'Support', url, form: 'ai-sdk', headers, ...options })
}

function startStatus(status: number, headers: Readonly<Record<string, string>> = {}) {
  return startRemoteService(async (_, response) => {
    response.writeHead(status, headers)
    response.end(`The key ${secret} is wrong.`)
  })
}

describe.each(['ai-sdk', 'openai', 'ag-ui', 'throughline'] as const)('%s', form => {
  test('a service that responds with an error status is named, with the status and nothing else', async () => {
    await using service = await startStatus(500)
    const { metadata } = await answerOf(agentAt(service.url, { form }))
    expect(metadata).toMatchObject({
      status: 'failed',
      statusText: 'The service of Support responded with status 500.',
    })
    expect(service.requests).toHaveLength(1)
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  test('a service that cannot be reached is named', async () => {
    const { metadata } = await answerOf(agentAt(`http://127.0.0.1:${await closedPort()}/`, { form }))
    expect(metadata).toMatchObject({
      status: 'failed',
      statusText: 'The service of Support cannot be reached (ECONNREFUSED). Try again in a while.',
    })
  })

  test('a service that closes the connection without a response is named', async () => {
    await using service = await startRemoteService(async (_, response) => {
      response.destroy()
    })
    const { metadata } = await answerOf(agentAt(service.url, { form, reconnectMs: 0 }))
    expect(metadata).toMatchObject({
      status: 'failed',
      statusText: 'The service of Support closed the connection before it responded. Try again in a while.',
    })
  })

  test('a service that never responds is named', async () => {
    await using service = await startRemoteService(async (_, response) => {
      await once(response, 'close')
    })
    const { metadata } = await answerOf(agentAt(service.url, { form, maxSilenceMs: 100, reconnectMs: 0 }))
    expect(metadata).toMatchObject({
      status: 'failed',
      statusText:
        'The service of Support has sent nothing for 0.1 s. What it said so far is kept; try again.',
    })
  })

  test('a response that is no event stream is named', async () => {
    await using service = await startStatus(200, { 'content-type': 'text/html' })
    const { metadata } = await answerOf(agentAt(service.url, { form }))
    expect(metadata).toMatchObject({
      status: 'failed',
      statusText:
        'The service of Support responded with something that is no event stream. Check its address and its form.',
    })
  })
})

test('a redirect is not followed, because it would get the headers', async () => {
  await using target = await startStatus(200)
  await using service = await startStatus(307, { location: target.url })
  const { metadata } = await answerOf(agentAt(service.url))
  expect(metadata?.statusText).toBe('The service of Support responded with status 307.')
  expect(target.requests).toEqual([])
})

test('no header is in an answer or in the log, also when the service repeats it', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const error = encodeSse({
    data: JSON.stringify({ type: 'error', errorText: `The key ${secret} is wrong.` }),
  })
  await using service = await startSseService([error])
  let shown = ''
  {
    const logger = pino({ level: 'trace' }, sink)
    await using server = await startTestServer({ agents: [agentAt(service.url)], logger })
    shown += await (await ask(server.url)).text()
    shown += JSON.stringify(await loadAnswer(server.url))
  }
  expect(shown).toContain('The service of Support reported an error: The key [secret] is wrong.')
  expect(lines.join('')).toContain('RemoteServiceError')
  expect(shown + lines.join('')).not.toContain(secret)
})

test('two owners who use the same chat id get two conversations of the service', async () => {
  await using service = await startSseService([encodeSse({ data: '[DONE]' })])
  const tokens = new Map([
    ['token-of-ann', ownerIdOf('ann')],
    ['token-of-bob', ownerIdOf('bob')],
  ])
  await using server = await startTestServer({ agents: [agentAt(service.url)], tokens })
  for (const token of tokens.keys())
    await (await ask(server.url, { headers: { authorization: `Bearer ${token}` } })).text()
  const ids = service.requests.map(({ body }) => JSON.stringify(body).slice(0, 50))
  expect(new Set(ids).size).toBe(2)
  expect(ids.join()).not.toMatch(/ann|bob/)
})

test('a remote agent can be a sub-agent: its answer is shown, and its words go back to the caller', async () => {
  const chunk = encodeSse({ data: JSON.stringify({ type: 'text-delta', id: '0', delta: 'It is clear.' }) })
  await using service = await startSseService([chunk, encodeSse({ data: '[DONE]' })])
  const model = scriptedModel({ master: [[asking('support')], [saying('Support says so.')]] })
  await using server = await startDelegation({ model, subAgents: [agentAt(service.url)] })
  await (await ask(server.url)).text()
  const { messages } = await loadChat(server.url)
  const [master, support] = ['master', 'support'].map(name =>
    messages.find(({ metadata }) => metadata?.agentUsed === name),
  )
  expect(support?.metadata).toMatchObject({ status: 'finished', senderName: 'Support' })
  expect(support && linesOf(support)).toEqual(['It is clear.'])
  expect(master && linesOf(master)).toEqual([
    expect.stringContaining('"summary":"It is clear."'),
    'Support says so.',
  ])
})

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('There is no port.')
  return address.port
}

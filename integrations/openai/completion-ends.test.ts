import type { Agent } from '@throughline/agents'
import { heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { approvalServer } from '@throughline/testing/server/waiting-call'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { apiErrorOf, openAi } from './open-ai-client.ts'

const asked = {
  model: 'assistant',
  messages: [{ role: 'user', content: 'How is the weather?' }],
} satisfies OpenAI.ChatCompletionCreateParams

describe('an agent that fails', () => {
  const failing = () => {
    let runs = 0
    const agent = scriptedAgent('assistant', function* () {
      runs += 1
      yield say('Let me')
      yield { type: 'error', error: new Error('The weather service is down.') }
    })
    return { agent, runs: () => runs }
  }

  test('is an error at the end of the stream', async () => {
    const { agent } = failing()
    await using server = await startTestServer({ agents: [agent] })
    const stream = await openAi(server.url).chat.completions.create({ ...asked, stream: true })
    const read: string[] = []
    const error = await apiErrorOf(
      (async () => {
        for await (const { choices } of stream) read.push(choices[0]?.delta.content ?? '')
      })(),
    )
    expect(read.join('')).toBe('Let me')
    expect(error).toMatchObject({ code: 'agent_failed', type: 'server_error' })
  })

  test('is an error of the server, and is not asked again by a client that tries again', async () => {
    const { agent, runs } = failing()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url, { maxRetries: 2 })
    const error = await apiErrorOf(client.chat.completions.create(asked))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ code: 'agent_failed' })
    expect(runs()).toBe(1)
  })
})

test('an answer that reached its limit says so', async () => {
  const agent = scriptedAgent('assistant', [say('And so'), { type: 'finish', finishReason: 'length' }])
  await using server = await startTestServer({ agents: [agent] })
  const completion = await openAi(server.url).chat.completions.create(asked)
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'And so' } })
})

describe('a client that leaves', () => {
  const fields = { ...asked, metadata: { chat_id: 'trip' } }

  test.each(['a stream', 'a request that waits'])('%s stops the answer', async how => {
    const { agent, started } = endlessAgent()
    await using server = await startTestServer({ agents: [agent] })
    const left = new AbortController()
    const completions = openAi(server.url).chat.completions
    if (how === 'a stream') {
      const stream = await completions.create({ ...fields, stream: true })
      // Leaving the loop closes the connection.
      for await (const { choices } of stream) if (choices[0]?.delta.content === 'Once') break
    } else {
      const request = completions.create(fields, { signal: left.signal })
      await started
      left.abort()
      expect(await apiErrorOf(request)).toBeInstanceOf(OpenAI.APIUserAbortError)
    }
    await expect.poll(async () => (await loadAnswer(server.url, 'trip')).metadata?.status).toBe('stopped')
  })

  test('at the end of the answer stops nothing', async () => {
    await using server = await startTestServer()
    await Array.fromAsync(await openAi(server.url).chat.completions.create({ ...fields, stream: true }))
    expect((await loadAnswer(server.url, 'trip')).metadata?.status).toBe('finished')
  })
})

test('an answer that somebody else stops ends for the client', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Once')] })
  await using server = await startTestServer({ agents: [agent] })
  const stream = await openAi(server.url).chat.completions.create({
    ...asked,
    stream: true,
    metadata: { chat_id: 'trip' },
  })
  const reasons: unknown[] = []
  for await (const { choices } of stream) {
    if (choices[0]?.delta.content === 'Once') await stop(server.url, 'trip')
    reasons.push(choices[0]?.finish_reason)
  }
  expect(reasons.at(-1)).toBe('stop')
})

test('an answer waits with its client while a person decides on a call', async () => {
  const { server } = await approvalServer()
  await using _ = server
  const completion = openAi(server.url).chat.completions.create({
    ...asked,
    model: 'master',
    metadata: { chat_id: 'trip' },
  })
  await expect.poll(async () => (await fetch(`${server.url}/api/chats/trip`)).status).toBe(200)
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/trip/log`))
  await log.until('"approvalId":')
  await decide(server.url, approvalIn(log.bytes), { approved: true })
  expect((await completion).choices[0]?.message.content).toBe('Done.')
})

/** An agent that begins a story and goes on only when it is stopped. */
function endlessAgent(): { readonly agent: Agent; readonly started: Promise<void> } {
  const { promise: started, resolve } = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    yield say('Once')
    resolve()
    await new Promise<void>(ended => signal.addEventListener('abort', () => ended(), { once: true }))
  })
  return { agent, started }
}

import { toolFactory } from '@throughline/agents'
import { asking, calling, saying, scriptedModel, type Turns } from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

// Each call of a model is 10 tokens in, 4 of them cached, and 5 out.
const oneCall = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 }
const calls = (count: number) => ({
  totalTokens: 15 * count,
  byModel: { 'test:scripted': { calls: count, totalTokens: 15 * count } },
})

describe('a run that is stopped while a tool works', () => {
  test('has the usage of the model call that asked for the tool', async () => {
    const usage = await usageAfterStop({ master: [[calling('work', {})]] })
    expect(usage('master')).toMatchObject({ ...oneCall, ...calls(1) })
  })

  test('has the usage of the steps before as well, each once', async () => {
    const usage = await usageAfterStop({
      master: [[calling('note', { text: 'x' })], [calling('work', {})]],
    })
    expect(usage('master')).toMatchObject(calls(2))
  })

  test('has the usage of a sub-agent whose tool works, at every depth', async () => {
    const usage = await usageAfterStop({
      master: [[asking('lead')]],
      lead: [[asking('worker')]],
      worker: [[calling('note', { text: 'x' })], [calling('work', {})]],
    })
    expect(usage('worker')).toMatchObject(calls(2))
    expect(usage('lead')).toMatchObject(calls(3))
    expect(usage('master')).toMatchObject(calls(4))
  })
})

test('the event API tells the usage of a stopped query', async () => {
  await using held = await heldServer({ master: [[saying('I work. '), calling('work', {})]] })
  const { url } = held.server
  const body = { message: 'Work.', session_id: 'chat' }
  await using stream = new SseBytes(await sendJson(`${url}/agent/query-stream-delta`, body))
  await held.isAtWork
  await stop(url)
  const events = valuesOf(await stream.rest())
  expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { total_tokens: 15, total_prompt_tokens: 10 } })
})

test('a token limit ends a run at the model call that breaks it, without waiting for its tools', async () => {
  await using held = await heldServer(
    { master: [[calling('work', {})], [saying('Never.')]] },
    { maxTokens: 14 },
  )
  await (await ask(held.server.url)).text()
  const { messages } = await loadChat(held.server.url)
  expect(messages.at(-1)?.metadata).toMatchObject({ status: 'limit', usage: calls(1) })
})

/** What the agents' messages say they used after a stop in the middle of the tool `work`. */
async function usageAfterStop(turns: Turns) {
  await using held = await heldServer(turns)
  const { url } = held.server
  await using stream = new SseBytes(await ask(url))
  await held.isAtWork
  expect(await (await stop(url)).json()).toEqual({ result: 'stopped' })
  await stream.rest()
  const { messages } = await loadChat(url)
  return (name: string) => {
    const [message] = messagesBy(messages, name)
    expect(message?.metadata?.status).toBe('stopped')
    return message?.metadata?.usage
  }
}

/** A server whose tool `work` never ends. */
async function heldServer(turns: Turns, limits = {}) {
  const isAtWork = Promise.withResolvers<void>()
  const work = toolFactory(
    'work',
    tool({
      description: 'Works for ever.',
      inputSchema: z.object({}),
      execute(): Promise<string> {
        isAtWork.resolve()
        return new Promise(() => undefined)
      },
    }),
  )
  const server = await startDelegation({
    model: scriptedModel(turns),
    tools: [work],
    limits,
    subAgents: [
      subAgent('lead', { tools: ['*'], allowedSubAgents: ['worker'] }),
      subAgent('worker', { tools: ['*'] }),
    ],
  })
  return {
    server,
    isAtWork: isAtWork.promise,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

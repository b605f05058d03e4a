import { type AgentEvent, toolFactory } from '@throughline/agents'
import { hideSecrets } from '@throughline/agents/internal'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agentSystem } from '../../src/who/agent-system.ts'

const megabyte = 1024 * 1024
const call = { toolCallId: 'call', toolName: 'dump', input: {} }

function dumpTool(execute: (input: unknown) => unknown) {
  return toolFactory('dump', tool({ description: 'Says a lot.', inputSchema: z.looseObject({}), execute }))
}

/** How many bytes of the chat are in the log, and in what every GET returns. */
async function sizesOf({ url }: TestServer) {
  const [log, chat] = [await readLog(url), await loadChat(url)]
  return { log: JSON.stringify(log).length, chat: JSON.stringify(chat).length }
}

describe('thirty megabytes', () => {
  const text = 'é1'.repeat(10 * megabyte)

  test.each<[string, () => unknown]>([
    ['as a text', () => text],
    ['as an object', () => ({ rows: [text] })],
    ['from a promise', async () => text],
  ])('that a tool returns %s are cut, and page and model can read that', async (_, execute) => {
    const model = scriptedModel({ master: [[calling('dump', {})], [saying('Done.')]] })
    await using server = await startDelegation({ model, tools: [dumpTool(execute)] })
    await (await ask(server.url)).text()
    const sizes = await sizesOf(server)
    expect(sizes.log).toBeLessThan(1.1 * megabyte)
    expect(sizes.chat).toBeLessThan(1.1 * megabyte)
    const { parts } = await loadAnswer(server.url)
    const output = {
      type: 'truncated',
      limit: 'maxToolOutputBytes',
      bytes: expect.closeTo(30 * megabyte, -2),
      keptBytes: expect.closeTo(megabyte, -1),
      text: expect.stringContaining('é1é1'),
    }
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'tool-dump', state: 'output-available', output }),
    )
    expect(toolResultsOf(model, 'master')).toMatch(/\[\d+ more characters were left out\.\]/)
    // The next question brings the cut output from history.
    await (await ask(server.url, { messageId: 'again' })).text()
    const prompt = JSON.stringify(model.doStreamCalls.at(-1)?.prompt)
    expect(prompt).toContain('truncated')
    expect(prompt.length).toBeLessThan(120_000)
  })

  const events: readonly [string, AgentEvent][] = [
    ['a result', { type: 'tool-result', ...call, output: text }],
    [
      'a result of a provider’s own tool',
      { type: 'tool-result', ...call, providerExecuted: true, output: [text] },
    ],
    ['an output so far', { type: 'tool-progress', ...call, output: { text } }],
    ['an error', { type: 'tool-error', ...call, errorText: text }],
    ['a call that is not valid', { type: 'tool-call-invalid', ...call, input: text, errorText: text }],
    ['the input of a call', { type: 'tool-call', ...call, input: { text } }],
    ['the input that comes with a result', { type: 'tool-result', ...call, input: text, output: 'ok' }],
    ['a call beside a text', { type: 'content', text: 'So.', toolCalls: [{ ...call, input: text }] }],
  ]
  test.each(events)('that an agent of any kind gives as %s are cut', async (_, event) => {
    await using server = await startTestServer({
      agents: [scriptedAgent('assistant', [event, say('Done.'), finish])],
      // Otherwise the length of the input would end the run.
      system: agentSystem({ limits: { maxOutputBytes: 100 * megabyte } }),
    })
    await (await ask(server.url)).text()
    const sizes = await sizesOf(server)
    expect(sizes.log).toBeLessThan(3.2 * megabyte)
    expect(sizes.chat).toBeLessThan(2.2 * megabyte)
    expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
  })
})

test('all outputs of a run together are limited, and small ones are kept whole all the same', async () => {
  const calls = Array.from({ length: 12 }, (_, index) => ({ ...call, toolCallId: `call-${index}` }))
  const script: readonly AgentEvent[] = [
    ...calls.map((each, index): AgentEvent => {
      return { type: 'tool-result', ...each, output: index === 11 ? { ok: true } : 'x'.repeat(10_000) }
    }),
    finish,
  ]
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', script)],
    system: agentSystem({ limits: { maxToolOutputBytes: 20_000, maxRunToolOutputBytes: 50_000 } }),
  })
  await (await ask(server.url)).text()
  const { parts } = await loadAnswer(server.url)
  const outputs = parts.flatMap(part => ('output' in part ? [part.output] : []))
  const limit = 'maxRunToolOutputBytes'
  expect(outputs.filter(output => typeof output === 'string')).toHaveLength(5)
  expect(outputs[10]).toMatchObject({ type: 'truncated', limit, bytes: 10_000, keptBytes: 1_000 })
  expect(outputs[11]).toEqual({ ok: true })
})

test('progress without end does not fill the log, and leaves room for the result', async () => {
  async function* script(): AsyncGenerator<AgentEvent> {
    for (let index = 0; index < 3_000; index += 1)
      yield { type: 'tool-progress', ...call, output: `${index}`.repeat(20) }
    yield { type: 'tool-result', ...call, output: 'the result '.repeat(1_000) }
    yield finish
  }
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', script)],
    system: agentSystem({ limits: { maxRunToolOutputBytes: 100_000 } }),
  })
  await (await ask(server.url)).text()
  expect((await sizesOf(server)).log).toBeLessThan(200_000)
  expect((await loadAnswer(server.url)).parts).toContainEqual(
    expect.objectContaining({ output: 'the result '.repeat(1_000) }),
  )
})

test('a tool is not run with an input that nobody could see in full', async () => {
  const inputs: unknown[] = []
  const model = scriptedModel({
    master: [
      [calling('dump', { text: 'x'.repeat(2_000) })],
      [calling('dump', { text: 'short' })],
      [saying('Done.')],
    ],
  })
  const tools = [dumpTool(input => inputs.push(input))]
  await using server = await startDelegation({ model, tools, limits: { maxToolOutputBytes: 1_500 } })
  await (await ask(server.url)).text()
  expect(inputs).toEqual([{ text: 'short' }])
  expect(toolResultsOf(model, 'master')).toContain('The input has 2011 bytes, and 1500 are allowed.')
})

test('an error of a tool is short enough for the model', async () => {
  const model = scriptedModel({ master: [[calling('dump', {})], [saying('Done.')]] })
  const failing = () => Promise.reject(new Error('no '.repeat(megabyte)))
  await using server = await startDelegation({ model, tools: [dumpTool(failing)] })
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master').length).toBeLessThan(60_000)
})

test('a tool that tells the model in its own way does so, also after its output was cut', async () => {
  const own = tool({
    description: 'Counts.',
    inputSchema: z.looseObject({}),
    execute: async () => ({ words: 'word '.repeat(1_000) }),
    toModelOutput: ({ output }) => ({ type: 'text', value: `${output.words.split(' ').length - 1} words` }),
  })
  const model = scriptedModel({ master: [[calling('dump', {})], [saying('Done.')]] })
  await using server = await startDelegation({
    model,
    tools: [toolFactory('dump', own)],
    limits: { maxToolOutputBytes: 1_000 },
  })
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master')).toContain('1000 words')
  await (await ask(server.url, { messageId: 'again' })).text()
  expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).toContain('"truncated"')
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
})

test('a secret of the server that a tool returns or throws is covered, also where the output is cut', async () => {
  const secret = 'tok-0123456789-abcdef'
  const outputs = [`said ${secret}`, { headers: [secret] }, `${'x'.repeat(990)}${secret}${'x'.repeat(100)}`]
  const script: readonly AgentEvent[] = [
    ...outputs.map((output, index): AgentEvent => {
      return { type: 'tool-result', ...call, toolCallId: `call-${index}`, output }
    }),
    { type: 'tool-error', ...call, toolCallId: 'bad', errorText: `401 for ${secret}` },
    finish,
  ]
  await using server = await startTestServer({
    agents: [scriptedAgent('assistant', script)],
    system: agentSystem({ limits: { maxToolOutputBytes: 1_000 }, hideSecrets: hideSecrets([secret]) }),
  })
  const stream = await (await ask(server.url)).text()
  expect(stream.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(4)
  expect(stream).not.toContain('tok-0')
  expect(JSON.stringify(await readLog(server.url))).not.toContain('tok-0')
})

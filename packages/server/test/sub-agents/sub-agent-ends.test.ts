import { type Agent, type SubAgent, toolFactory } from '@throughline/agents'
import { isEndChunk } from '@throughline/protocol'
import {
  asking,
  breaking,
  calling,
  saying,
  scriptedModel,
  type Turn,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadChat, stop, submit } from '@throughline/testing/http/chat-requests'
import { entryWith, messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import {
  type DelegationOptions,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import type { TestServer } from '@throughline/testing/server/test-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const never = new Promise<never>(() => undefined)
const hanging: Turn = async function* () {
  yield saying('I begin. ')
  await never
}
const hangTool = toolFactory(
  'hang',
  tool({
    description: 'Never ends, and hears nothing.',
    inputSchema: z.object({}),
    execute: (): Promise<string> => never,
  }),
)

describe('a sub-agent that', () => {
  test('fails is a result its caller can read, and the run goes on', async () => {
    const { output, child, master, log } = await childThat([[saying('Half. '), breaking('secret')]])
    expect(output).toMatchObject({ ok: false, code: 'FAILED', summary: 'Half.', messageId: child?.id })
    expect(child).toMatchObject({
      metadata: { status: 'failed' },
      parts: [{}, { text: 'Half. ', state: 'done' }],
    })
    expect(master).toMatchObject({ metadata: { status: 'finished' } })
    expect(log).not.toContain('secret')
  })

  test('takes too long is ended as a limit, and the run goes on', async () => {
    const { output, child, master } = await childThat([hanging], { limits: { maxChildMs: 30 } })
    expect(output).toMatchObject({ ok: false, code: 'LIMIT', message: 'The helper took too long.' })
    expect(child?.metadata).toMatchObject({ status: 'limit', statusText: 'The helper took too long.' })
    expect(master?.metadata?.status).toBe('finished')
  })

  test('hangs in a tool that hears nothing is ended all the same', async () => {
    const { output, child } = await childThat([[calling('hang', {})]], {
      limits: { maxChildMs: 300 },
      tools: [hangTool],
    })
    expect(output).toMatchObject({ ok: false, code: 'LIMIT' })
    expect(child?.metadata?.status).toBe('limit')
    expect(JSON.stringify(child?.parts)).not.toMatch(/"(running|input-available)"/)
  })

  test('floods ends the run, by name', async () => {
    const flood: Turn = function* () {
      for (;;) yield saying('x'.repeat(100))
    }
    const { child, master } = await childThat([flood], { limits: { maxOutputBytes: 10_000 } })
    const limit = { status: 'limit', statusText: 'The answer became too long.' }
    expect([child?.metadata, master?.metadata]).toMatchObject([limit, limit])
  })

  test('says nothing is tried once more, and then told of', async () => {
    const { output, child, model } = await childThat([[]])
    expect(output).toMatchObject({ ok: false, code: 'EMPTY', summary: '' })
    expect(model.doStreamCalls).toHaveLength(4)
    expect(child?.metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 2 } })
  })

  test('says something at the second try has answered', async () => {
    let tries = 0
    const { output } = await childThat([
      function* () {
        tries += 1
        if (tries === 2) yield saying('At last.')
      },
    ])
    expect(output).toMatchObject({ ok: true, summary: 'At last.' })
  })

  test('says more than a model should read is summed up by its beginning, in whole characters', async () => {
    const { output, child } = await childThat([[saying(`x${'🙂'.repeat(8_000)}`)]])
    const summary = JSON.stringify(output)
    expect(summary.length).toBeLessThan(9_000)
    expect(summary).toContain('shortened')
    expect(summary).not.toContain('\\ud83d')
    expect(JSON.stringify(child).length).toBeGreaterThan(16_000)
  })

  test.each<[string, (agent: SubAgent) => SubAgent]>([
    ['cannot be built', agent => Object.assign(agent, { buildAgent: fail })],
    ['throws when it is run', agent => Object.assign(agent, { buildAgent: () => throwingAgent })],
    ['cannot make its tools', agent => Object.assign(agent, { getTools: fail })],
    ['has no instructions', agent => Object.assign(agent, { systemPrompt: fail })],
  ])('%s has failed, and has an end', async (_, change) => {
    const { output, child, master, log } = await childThat([[saying('Never said.')]], {
      subAgents: [change(subAgent('helper'))],
    })
    expect(output).toMatchObject({ ok: false, code: 'FAILED', messageId: child?.id })
    expect(child?.metadata?.status).toBe('failed')
    expect(master?.metadata?.status).toBe('finished')
    expect(log).not.toContain('secret')
  })
})

describe('a stop', () => {
  test.each<[string, readonly Turn[]]>([
    ['speaks', [hanging]],
    ['waits for a tool that hears nothing', [[saying('I begin. '), calling('hang', {})]]],
    ['waits for a child of its own', [[saying('I begin. '), asking('nested')]]],
  ])(
    'of a run whose child %s ends the children first, then the master, and closes everything',
    async (_, turns) => {
      const model = scriptedModel({ master: [[asking('helper')]], helper: turns, nested: [hanging] })
      await using server = await startDelegation({
        model,
        subAgents: [subAgent('helper', { tools: ['*'], allowedSubAgents: ['nested'] }), subAgent('nested')],
        tools: [hangTool],
      })
      await using stream = new SseBytes(await ask(server.url, { form: '?subAgents=separate' }))
      await stream.until('I begin.')
      expect(await (await stop(server.url)).json()).toEqual({ result: 'stopped' })
      const entries = await readLog(server.url)
      const ends = entries.filter(({ chunk }) => isEndChunk(chunk))
      const starts = entries.filter(({ chunk }) => chunk.type === 'start')
      expect(ends.map(({ messageId }) => messageId)).toEqual(
        starts.map(({ messageId }) => messageId).toReversed(),
      )
      expect(entries.at(-1)).toBe(ends.at(-1))
      const { messages } = await loadChat(server.url)
      expect(messages).toEqual(JSON.parse(JSON.stringify(replay(entries))))
      expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available)"/)
    },
  )

  test('while a sub-agent is looked up lets it not begin any more', async () => {
    const isAsked = Promise.withResolvers<void>()
    const found = Promise.withResolvers<SubAgent>()
    const model = scriptedModel({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [[saying('Too late.')]],
    })
    const find = () => {
      isAsked.resolve()
      return found.promise
    }
    await using server = await startDelegation({ model, source: { find, list: async () => [] } })
    await submit(server.url)
    await isAsked.promise
    await stop(server.url)
    const before = await readLog(server.url)
    found.resolve(subAgent('helper'))
    // A whole other run in another chat: time enough for the late one to begin, if it did.
    await (await ask(server.url, { chatId: 'other' })).text()
    expect(await readLog(server.url)).toEqual(before)
  })
})

test('a master whose model breaks off has failed, and nobody works on for it', async () => {
  const model = scriptedModel({ master: [[asking('helper'), breaking('secret')]], helper: [hanging] })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
  await (await ask(server.url)).text()
  const { messages } = await loadChat(server.url)
  expect(messagesBy(messages, 'master')[0]?.metadata?.status).toBe('failed')
  expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available)"/)
})

test('what belongs to a run hears when the run is over', async () => {
  const signals: AbortSignal[] = []
  const listen = toolFactory(
    'listen',
    tool({
      description: 'Leaves something behind.',
      inputSchema: z.object({}),
      async execute(_, { abortSignal }) {
        if (abortSignal !== undefined) signals.push(abortSignal)
        return {}
      },
    }),
  )
  const { master } = await childThat([[calling('listen', {})], [saying('Done.')]], { tools: [listen] })
  expect(master?.metadata?.status).toBe('finished')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

/** What becomes of a run whose master asks one helper, which does this. */
async function childThat(turns: readonly Turn[], options: Partial<DelegationOptions> = {}) {
  const model = scriptedModel({ master: [[asking('helper')], [saying('I go on.')]], helper: turns })
  await using server = await startDelegation({
    model,
    subAgents: [subAgent('helper', { tools: ['*'] })],
    ...options,
  })
  await (await ask(server.url)).text()
  return { model, ...(await resultsOf(server)) }
}

async function resultsOf({ url, close }: TestServer) {
  const entries = await readLog(url)
  await close()
  const messages = replay(entries)
  const [master] = messagesBy(messages, 'master')
  const [child] = messagesBy(messages, 'helper')
  const isAnswered = entries.some(({ chunk }) => chunk.type === 'tool-output-available')
  const { chunk } = isAnswered
    ? entryWith(entries, 'tool-output-available', { toolCallId: 'ask-helper' })
    : { chunk: undefined }
  const output = chunk?.type === 'tool-output-available' ? chunk.output : undefined
  return { master, child, output, log: JSON.stringify(entries) }
}

function fail(): never {
  throw new Error('secret')
}

const throwingAgent: Agent = { name: 'helper', displayName: 'The helper', run: fail }

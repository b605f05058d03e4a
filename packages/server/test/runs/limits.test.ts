import { type Limits, toolFactory } from '@throughline/agents'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  type Turns,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const note = calling('note', { text: 'more' })
const hanging = async function* () {
  yield saying('I begin.')
  await new Promise(() => undefined)
}

describe('a run ends, and says why, when', () => {
  test.each<[string, Partial<Limits>, Turns, string]>([
    [
      'its tokens are used up',
      { maxTokens: 20 },
      { master: [[note], [note], [note]] },
      'The answer used up its tokens.',
    ],
    [
      'its agents together have used up its tokens',
      { maxTokens: 40 },
      { master: [[asking('helper')], [saying('Done.')]], helper: [[note], [note], [saying('Helped.')]] },
      'The answer used up its tokens.',
    ],
    ['its time is up', { maxRunMs: 20 }, { master: [hanging] }, 'The answer took too long.'],
    [
      'its time is up while a sub-agent works',
      { maxRunMs: 100 },
      { master: [[asking('helper')]], helper: [hanging] },
      'The answer took too long.',
    ],
    [
      'its steps are used up',
      { maxSteps: 2 },
      { master: [[note], [note], [note]] },
      'The answer reached its limit of steps.',
    ],
    [
      'it says too much',
      { maxOutputBytes: 12 },
      { master: [[saying('four'), note], [saying('ééééé')], [saying('no')]] },
      'The answer became too long.',
    ],
    [
      'it hands too much to a tool in one piece',
      { maxOutputBytes: 1_000 },
      { master: [[calling('note', { text: 'x'.repeat(1_000) })], [saying('no')]] },
      'The answer became too long.',
    ],
  ])('%s', async (_, limits, turns, statusText) => {
    await using server = await startDelegation({
      model: scriptedModel(turns),
      limits,
      subAgents: [subAgent('helper', { tools: ['note'] })],
    })
    await (await ask(server.url)).text()
    const { messages } = await loadChat(server.url)
    const [master] = messagesBy(messages, 'master')
    expect(master?.metadata).toMatchObject({ status: 'limit', statusText })
    expect(JSON.stringify(messages)).not.toMatch(/"(streaming|running|input-available)"/)
    expect(await server.store.runs.unfinished()).toEqual([])
  })
})

test('a sub-agent whose steps are used up is told of to its caller, who goes on', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('Half. '), note], [note], [note]],
  })
  const helper = subAgent('helper', { tools: ['note'], maxSteps: 2 })
  await using server = await startDelegation({ model, subAgents: [helper] })
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master')).toContain(
    '"code":"LIMIT","message":"The answer reached its limit of steps."',
  )
  const { messages } = await loadChat(server.url)
  expect(messagesBy(messages, 'helper')[0]?.metadata?.status).toBe('limit')
  expect(messagesBy(messages, 'master')[0]?.metadata?.status).toBe('finished')
})

describe('a tool that says more than a model can read', () => {
  test.each([
    ['text', `x${'🙂'.repeat(100)}`],
    ['a list', Array.from({ length: 100 }, () => '🙂')],
  ])('as %s is shortened for the model, in whole characters, and whole for the page', async (_, output) => {
    const long = tool({ description: 'Says a lot.', inputSchema: z.object({}), execute: async () => output })
    const model = scriptedModel({ master: [[calling('long', {})], [saying('Done.')]] })
    await using server = await startDelegation({
      model,
      tools: [toolFactory('long', long)],
      limits: { maxToolOutputChars: 10 },
    })
    await (await ask(server.url)).text()
    const { parts } = await loadAnswer(server.url)
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-long', output }))
    // The second question brings the same output again, from history.
    await (await ask(server.url, { messageId: 'again' })).text()
    for (const read of [toolResultsOf(model, 'master'), JSON.stringify(model.doStreamCalls.at(-1)?.prompt)]) {
      expect(read).toMatch(/\[\d+ more characters were left out\.\]/)
      expect(read).not.toContain('🙂'.repeat(20))
      expect(read).not.toContain('\\ud83d')
    }
  })

  test('but not more than it may is read as it is', async () => {
    const model = scriptedModel({ master: [[note], [saying('Done.')]] })
    await using server = await startDelegation({ model })
    await (await ask(server.url)).text()
    expect(toolResultsOf(model, 'master')).toContain('{"type":"json","value":{"noted":"more"}}')
  })
})

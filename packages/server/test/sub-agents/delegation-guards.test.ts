import { type SubAgent, toolContext, toolFactory } from '@throughline/agents'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  type Turns,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask } from '@throughline/testing/http/chat-requests'
import { outputsOf, readLog } from '@throughline/testing/http/read-log'
import {
  type DelegationOptions,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const anybody = { allowedSubAgents: ['*'] }
const done = [saying('Done.')]

interface Refused {
  readonly turns: Turns
  readonly subAgents: readonly SubAgent[]
  /** How many sub-agents are at work all the same. */
  readonly children: number
  readonly caller: string
}

const refusals: readonly (readonly [string, string, RegExp, Refused])[] = [
  [
    'an agent that is already at work above',
    'RECURSION',
    /"lead" is already at work on this task \(master → lead → worker\)/,
    {
      turns: {
        master: [[asking('lead')], done],
        lead: [[asking('worker')], done],
        worker: [[asking('lead', 'no')], done],
      },
      subAgents: [subAgent('lead', anybody), subAgent('worker', anybody)],
      children: 2,
      caller: 'worker',
    },
  ],
  [
    'oneself',
    'RECURSION',
    /"lead" is already at work/,
    {
      turns: { master: [[asking('lead')], done], lead: [[asking('lead', 'no')], done] },
      subAgents: [subAgent('lead', anybody)],
      children: 1,
      caller: 'lead',
    },
  ],
  [
    'the master',
    'RECURSION',
    /"master" is already at work/,
    {
      turns: { master: [[asking('lead')], done], lead: [[asking('master', 'no')], done] },
      subAgents: [subAgent('lead', anybody)],
      children: 1,
      caller: 'lead',
    },
  ],
  [
    'a fourth level',
    'MAX_DEPTH',
    /3 times at most/,
    {
      turns: {
        master: [[asking('one')], done],
        one: [[asking('two')], done],
        two: [[asking('three')], done],
        three: [[asking('four', 'no')], done],
      },
      subAgents: ['one', 'two', 'three', 'four'].map(name => subAgent(name, anybody)),
      children: 3,
      caller: 'three',
    },
  ],
  [
    'a level deeper than the agent itself allows',
    'MAX_DEPTH',
    /1 times at most/,
    {
      turns: { master: [[asking('lead')], done], lead: [[asking('worker', 'no')], done] },
      subAgents: [subAgent('lead', { ...anybody, maxDepth: 1 }), subAgent('worker')],
      children: 1,
      caller: 'lead',
    },
  ],
  [
    'an agent that is not on the list of the caller',
    'NOT_ALLOWED',
    /"lead" may not ask "worker"; it may ask helper\./,
    {
      turns: { master: [[asking('lead')], done], lead: [[asking('worker', 'no')], done] },
      subAgents: [subAgent('lead', { allowedSubAgents: ['helper'] }), subAgent('helper'), subAgent('worker')],
      children: 1,
      caller: 'lead',
    },
  ],
  [
    'anybody from an agent whose list is empty',
    'NOT_ALLOWED',
    /"lead" may ask nobody/,
    {
      turns: { master: [[asking('lead')], done], lead: [[asking('worker', 'no')], done] },
      subAgents: [subAgent('lead'), subAgent('worker')],
      children: 1,
      caller: 'lead',
    },
  ],
  [
    'a level deeper than a caller further up allows',
    'MAX_DEPTH',
    /2 times at most/,
    {
      turns: {
        master: [[asking('one')], done],
        one: [[asking('two')], done],
        two: [[asking('three', 'no')], done],
      },
      subAgents: [
        subAgent('one', { ...anybody, maxDepth: 2 }),
        subAgent('two', { ...anybody, maxDepth: 5 }),
        subAgent('three'),
      ],
      children: 2,
      caller: 'two',
    },
  ],
  [
    'an agent that nobody knows',
    'NOT_FOUND',
    /There is no agent "nobody"/,
    { turns: { master: [[asking('nobody', 'no')], done] }, subAgents: [], children: 0, caller: 'master' },
  ],
  [
    'an agent that is switched off',
    'NOT_FOUND',
    /There is no agent "off"/,
    {
      turns: { master: [[asking('off', 'no')], done] },
      subAgents: [Object.assign(subAgent('off'), { isEnabled: false })],
      children: 0,
      caller: 'master',
    },
  ],
]

describe('to ask', () => {
  test.each(refusals)(
    '%s is refused with %s, in words for the model, and shows no message',
    async (_, code, message, refused) => {
      const { turns, subAgents, children, caller } = refused
      const model = scriptedModel(turns)
      const { outputs, starts } = await runOf({ model, subAgents })
      expect(outputs.get('no')).toEqual({ ok: false, code, message: expect.stringMatching(message) })
      expect(starts).toBe(1 + children)
      expect(toolResultsOf(model, caller)).toContain(`"code":"${code}"`)
    },
  )

  test('a name that is no text is refused before anybody is looked up', async () => {
    const model = scriptedModel({ master: [[calling('subAgent', { name: 7, task: 'x' })], done] })
    const { starts, log } = await runOf({ model, subAgents: [subAgent('7')] })
    expect(starts).toBe(1)
    expect(log).toContain('"tool-input-error"')
  })
})

describe('how deep', () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  /** Each asks the next, until one is refused. */
  const chain: Turns = Object.fromEntries(
    ['master', ...names].map((name, index) => [name, [[asking(names[index] ?? 'seven', 'next')], done]]),
  )

  test.each([
    ['an agent that names none raises nothing', {}, {}, 3],
    ['an agent may go deeper than the default', { one: 5 }, {}, 5],
    ['an agent in the middle may go deeper than the default', { two: 4 }, {}, 4],
    ['an agent goes no deeper than the operator allows', { one: 6 }, { maxDepth: 4 }, 4],
    ['the operator chooses the default', {}, { defaultDepth: 5 }, 5],
    ['the default is no more than the operator allows', {}, { maxDepth: 2 }, 2],
  ])('%s', async (_, depths: Readonly<Record<string, number>>, limits, expected) => {
    const subAgents = names.map(name => {
      const maxDepth = depths[name]
      return subAgent(name, { ...anybody, ...(maxDepth === undefined ? {} : { maxDepth }) })
    })
    const { starts, log } = await runOf({ model: scriptedModel(chain), subAgents, limits })
    expect(starts).toBe(1 + expected)
    expect(log).toContain(`${expected} times at most`)
  })
})

describe('an agent with an empty list', () => {
  test('is not offered the tool, and reads the refusal as a result when it tries', async () => {
    const model = scriptedModel({
      master: [[asking('lead')], done],
      lead: [[asking('worker', 'no')], done],
    })
    const { log } = await runOf({ model, subAgents: [subAgent('lead'), subAgent('worker')] })
    const [ofMaster, ofLead] = model.doStreamCalls.map(({ tools = [] }) => tools.map(({ name }) => name))
    expect(ofMaster).toContain('subAgent')
    expect(ofLead).toEqual([])
    expect(log).not.toMatch(/tool-input-error|tool-output-error/)
  })

  test('can use the id of a refused call again, for a call that is then known by its own', async () => {
    const look = tool({
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: async () => ({ callId: toolContext().toolCallId }),
    })
    const model = scriptedModel({
      master: [[asking('lead')], done],
      lead: [[asking('worker', 'same')], [calling('look', {}, 'same')], done],
    })
    const { log } = await runOf({
      model,
      tools: [toolFactory('look', look)],
      subAgents: [subAgent('lead', { tools: ['look'] })],
    })
    expect(log).toContain('"toolCallId":"1:same-2","output":{"callId":"1:same-2"}')
  })

  test('does not get the tool from its own list of tools either', async () => {
    const model = scriptedModel({
      master: [[asking('lead')], done],
      lead: [[asking('worker', 'no')], done],
    })
    const lead = subAgent('lead', { tools: ['subAgent', 'note'] })
    const { outputs } = await runOf({ model, subAgents: [lead, subAgent('worker')] })
    expect(outputs.get('no')).toMatchObject({ ok: false, code: 'NOT_ALLOWED' })
    expect(model.doStreamCalls[1]?.tools?.map(({ name }) => name)).toEqual(['note'])
  })
})

test('an agent with a list has the tool, whatever tools its caller is given', async () => {
  const model = scriptedModel({
    master: [[asking('lead')], done],
    lead: [[asking('worker')], done],
    worker: [done],
  })
  const { outputs } = await runOf({
    model,
    toolKeys: ['note'],
    subAgents: [subAgent('lead', { allowedSubAgents: ['worker'] }), subAgent('worker')],
  })
  expect(outputs.get('ask-worker')).toMatchObject({ ok: true })
})

describe('at once', () => {
  // From a source that takes its time, as a database does: all calls are under way before the first is counted.
  const source = (...agents: readonly SubAgent[]) => ({
    find: async (name: string) => agents.find(agent => agent.name === name),
    list: async () => agents,
  })

  test('an agent may ask eight others, and no more', async () => {
    const calls = Array.from({ length: 10 }, (_, index) => asking('worker', `call-${index}`))
    const model = scriptedModel({ master: [calls, done], worker: [done] })
    const { codes, starts } = await runOf({ model, source: source(subAgent('worker')) })
    expect(codes).toEqual([...Array(8).fill('ok'), ...Array(2).fill('LIMIT')])
    expect(starts).toBe(1 + 8)
  })

  test('thirty-two agents may be asked in a run, whoever asks them', async () => {
    const calls = (name: string) => Array.from({ length: 6 }, (_, index) => asking(name, `${name}-${index}`))
    const model = scriptedModel({
      master: [calls('lead'), done],
      lead: [calls('worker'), done],
      worker: [done],
    })
    const { starts, log } = await runOf({
      model,
      source: source(subAgent('lead', anybody), subAgent('worker')),
    })
    expect(starts).toBe(1 + 32)
    expect(log.match(/"code":"LIMIT"/g)).toHaveLength(6 + 36 - 32)
  })
})

async function runOf(options: DelegationOptions) {
  await using server = await startDelegation(options)
  await (await ask(server.url)).text()
  const entries = await readLog(server.url)
  const outputs = outputsOf(entries)
  const codes = [...outputs.values()].map(
    output => /"code":"(\w+)"/.exec(JSON.stringify(output))?.[1] ?? 'ok',
  )
  expect(entries.at(-1)?.chunk).toMatchObject({ type: 'finish' })
  return {
    outputs,
    codes: codes.toSorted((one, other) => one.length - other.length),
    starts: entries.filter(({ chunk }) => chunk.type === 'start').length,
    log: JSON.stringify(entries),
  }
}

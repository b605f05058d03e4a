import type { AgentEvent } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '@throughline/testing/server/test-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import { expect } from 'vitest'
import { failed, finished, type Item, type Seen, stopped, type Tool } from './seen.ts'

/** Where an agent waits for the test. */
export class Gates {
  /** Somebody is there to see it. */
  readonly begun = Promise.withResolvers<void>()
  /** Nobody is there any more. */
  readonly left = Promise.withResolvers<void>()
  /** Somebody is there again. */
  readonly returned = Promise.withResolvers<void>()
}

export interface Scenario {
  readonly whole: Seen
  start(gates: Gates, options: Pick<TestServerOptions, 'pageFolder'>): Promise<TestServer>
}

export type ScenarioName = keyof typeof scenarios

/** The last words before somebody does something: stops the answer, or loses the line. */
export const lastWords = '天空晴朗，'
/** What is said while nobody listens. */
export const wordsAway = '风很小 🍃，'

/** What is said before a call that waits for a person. */
export const wordsBeforeCall = '我要删除旧文件 🗑️。'

const question = { city: '里斯本' }
const sky = { sky: '晴朗 ☀️', degrees: 21 }
const weather: Tool = { tool: 'weather', input: question, state: 'done', output: sky }
const introduction = '我来查一下里斯本的天气 👩‍🚀。'

const lookedUp: readonly AgentEvent[] = [
  { type: 'step-start' },
  say(introduction),
  { type: 'tool-input-start', toolCallId: 'call', toolName: 'weather' },
  { type: 'tool-input-delta', toolCallId: 'call', text: '{"city":"里斯' },
  { type: 'tool-input-delta', toolCallId: 'call', text: '本"}' },
  { type: 'tool-call', ...call('call') },
  { type: 'tool-result', ...call('call'), output: sky },
  { type: 'step-end' },
  { type: 'step-start' },
]

export const scenarios = {
  text: scripted(ends([{ text: '你好，世界 👩‍🚀！ Hello, こんにちは。' }]), [
    say('你好，世界 👩‍'),
    say('🚀！ Hello, '),
    say('こんにちは。'),
  ]),
  'text-tool-text': scripted(ends([{ text: introduction }, weather, { text: '天空晴朗，21 度 🎉。' }]), [
    ...lookedUp,
    say('天空晴朗，'),
    say('21 度 🎉。'),
    { type: 'step-end' },
  ]),
  reasoning: scripted(ends([{ reasoning: '先想一想：一加一 🤔…' }, { text: '答案是二 ✌️。' }]), [
    { type: 'reasoning-delta', text: '先想一想：' },
    { type: 'reasoning-delta', text: '一加一 🤔…' },
    say('答案是二 ✌️。'),
  ]),
  'parallel tools': scripted(
    ends([
      weather,
      { ...weather, input: { city: '北京' }, state: 'failed', output: '线路断了 📵。' },
      { text: '一半知道了。' },
    ]),
    [
      { type: 'step-start' },
      { type: 'tool-call', ...call('south') },
      { type: 'tool-call', ...call('north', '北京') },
      { type: 'tool-error', ...call('north', '北京'), errorText: '线路断了 📵。' },
      { type: 'tool-result', ...call('south'), output: sky },
      { type: 'step-end' },
      { type: 'step-start' },
      say('一半知道了。'),
      { type: 'step-end' },
    ],
  ),
  'sub-agents': {
    whole: {
      answer: [{ text: '我去问一下。' }, asked('lead', '队伍回来了。'), { text: '都好了 🎉。' }],
      subAgents: {
        'The lead': [{ text: '我来带队 🧭。' }, asked('helper', '记下了 ✍️。'), { text: '队伍回来了。' }],
        'The helper': [
          { tool: 'note', input: { text: '晴 ☀️' }, state: 'done', output: { noted: '晴 ☀️' } },
          { text: '记下了 ✍️。' },
        ],
      },
      end: finished,
    },
    start: delegation,
  },
  error: scripted(
    {
      ...ends([{ text: '说到一半 🚧' }]),
      end: failed('The answer broke off because of an error. What was said so far is kept; try again.'),
    },
    [say('说到一半 🚧'), { type: 'error', error: new Error('secret') }],
  ),
  stop: scripted(
    {
      ...ends([
        { text: introduction },
        { ...weather, state: 'failed', output: 'Interrupted: Stopped by the user.' },
        { text: lastWords },
      ]),
      end: stopped,
    },
    [say(introduction), { type: 'tool-call', ...call('call') }, say(lastWords), 'left'],
  ),
  approval: {
    whole: ends([
      { text: wordsBeforeCall },
      { tool: 'remove', input: { what: '旧文件' }, state: 'done', output: { removed: '旧文件' } },
      { text: '删好了 ✅。' },
    ]),
    start: approval,
  },
  resume: scripted(ends([{ text: introduction }, weather, { text: `${lastWords}${wordsAway}21 度 🎉。` }]), [
    ...lookedUp,
    say(lastWords),
    'left',
    say(wordsAway),
    'returned',
    say('21 度 🎉。'),
    { type: 'step-end' },
  ]),
} as const satisfies Readonly<Record<string, Scenario>>

const { answer, subAgents } = scenarios['sub-agents'].whole
const [asks, lead, thanks] = answer
const [begins, helper, reports] = subAgents['The lead']

/** Everything of the sub-agents' scenario as it happened, whoever did it. */
export const inTurn: readonly Item[] = [
  asks,
  lead,
  begins,
  helper,
  ...subAgents['The helper'],
  reports,
  thanks,
]

/** An agent that does this when somebody sees it, and waits where it says so. */
function scripted(whole: Seen, script: readonly (AgentEvent | 'left' | 'returned')[]): Scenario {
  async function* play(gates: Gates) {
    await gates.begun.promise
    for (const event of script) {
      if (typeof event === 'string') await gates[event].promise
      else yield event
    }
    yield finish
  }
  return {
    whole,
    start: (gates, options) =>
      startTestServer({ ...options, agents: [scriptedAgent('assistant', () => play(gates))] }),
  }
}

/** A master that asks an agent that asks an agent that uses a tool. */
function delegation(gates: Gates, options: Pick<TestServerOptions, 'pageFolder'>): Promise<TestServer> {
  const model = scriptedModel({
    master: [
      async function* () {
        await gates.begun.promise
        yield saying('我去问一下。')
        yield asking('lead')
      },
      [saying('都好了 🎉。')],
    ],
    lead: [[saying('我来带队 🧭。'), asking('helper')], [saying('队伍回来了。')]],
    helper: [[calling('note', { text: '晴 ☀️' })], [saying('记下了 '), saying('✍️。')]],
  })
  const agents = [
    subAgent('lead', { tools: ['note'], allowedSubAgents: ['helper'] }),
    subAgent('helper', { tools: ['note'] }),
  ]
  return startDelegation({ ...options, model, subAgents: agents })
}

/** A master whose tool waits for a person. */
function approval(gates: Gates, options: Pick<TestServerOptions, 'pageFolder'>): Promise<TestServer> {
  const model = scriptedModel({
    master: [
      async function* () {
        await gates.begun.promise
        yield saying(wordsBeforeCall)
        yield calling('remove', { what: '旧文件' })
      },
      [saying('删好了 ✅。')],
    ],
  })
  return startTestServer({ ...options, ...asksApproval({ model }).serverOptions })
}

function ends(answer: readonly Item[]): Seen {
  return { answer, subAgents: {}, end: finished }
}

function call(toolCallId: string, city = question.city) {
  return { toolCallId, toolName: 'weather', input: { city } }
}

function asked(name: string, summary: string): Tool {
  return {
    tool: 'subAgent',
    input: { name, task: `A task for ${name}.` },
    state: 'done',
    output: { ok: true, messageId: expect.any(String), summary },
  }
}

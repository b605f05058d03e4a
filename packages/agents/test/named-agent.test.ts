import { finish, say } from '@throughline/testing/agent/scripted-agent'
import { expect, test } from 'vitest'
import type { AgentRequest } from '../src/agent/agent.ts'
import type { AgentEvent } from '../src/agent/agent-event.ts'
import { type KeyedAgent, namedAgent } from '../src/agent/named-agent.ts'

const request: AgentRequest = { messages: [], signal: new AbortController().signal }

test('an agent without a name is called like its key', () => {
  const agent = namedAgent('support', { description: 'Helps.', async *run() {} })
  expect(agent).toMatchObject({ name: 'support', displayName: 'support', description: 'Helps.' })
})

test('an agent with a name, but no name for people, has the first for both', () => {
  expect(namedAgent('key', { name: 'support', async *run() {} })).toMatchObject({
    name: 'support',
    displayName: 'support',
  })
})

test('an agent that has both names stays the same object', () => {
  const agent = { name: 'support', displayName: 'Support', async *run() {} }
  expect(namedAgent('support', agent)).toBe(agent)
})

test('an instance of a class keeps its private fields, what it inherits, and whether it can be asked now', async () => {
  class Base {
    get toolKeys(): readonly string[] {
      return ['calculator']
    }
  }
  class Counter extends Base implements KeyedAgent {
    #runs = 0
    isEnabled = true
    async *run(): AsyncGenerator<AgentEvent> {
      this.#runs += 1
      yield say(`Run ${this.#runs}`)
      yield finish
    }
  }
  const counter = new Counter()
  const agent = namedAgent('counter', counter)
  expect(agent.toolKeys).toEqual(['calculator'])
  expect(await Array.fromAsync(agent.run(request))).toEqual([say('Run 1'), finish])
  expect(agent.isEnabled).toBe(true)
  counter.isEnabled = false
  expect(agent.isEnabled).toBe(false)
})

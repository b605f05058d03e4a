import { expect, test } from 'vitest'
import type { Agent } from '../src/agent/agent.ts'
import type { AgentEvent } from '../src/agent/agent-event.ts'
import { namedAgent } from '../src/agent/named-agent.ts'
import { SubAgent } from '../src/delegation/base-agent.ts'

const options = { name: 'writer', systemPrompt: 'Write.' }

class OwnRun extends SubAgent {
  override async *run(): AsyncGenerator<AgentEvent> {
    yield { type: 'finish', finishReason: 'stop' }
  }
}

class OwnAgent extends SubAgent {
  override buildAgent(): Agent {
    return this
  }
}

test('an agent on our model loop goes on after a crash, unless it says no', () => {
  expect(new SubAgent(options).continues).toBe(true)
  expect(new SubAgent({ ...options, continues: false }).continues).toBe(false)
})

test('an agent with code of its own goes on only if it says so', () => {
  for (const Own of [OwnRun, OwnAgent]) {
    expect(new Own(options).continues).toBe(false)
    expect(new Own({ ...options, continues: true }).continues).toBe(true)
  }
  const run = () => new OwnRun(options).run()
  expect(namedAgent('own', { run }).continues).toBeUndefined()
  expect(namedAgent('own', { run, continues: true }).continues).toBe(true)
})

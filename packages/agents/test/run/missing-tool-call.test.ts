import type { Chunk } from '@throughline/protocol'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { MissingToolCallError } from '../../src/errors/agent-errors.ts'
import { currentFrame } from '../../src/run/agent-frame.ts'
import { defaultLimits } from '../../src/run/limits.ts'
import { runAgent } from '../../src/run/run-agent.ts'
import { toolFactory } from '../../src/run/tool-factory-registry.ts'
import { toolSetOf } from '../../src/run/wrap-tool.ts'

const call = { toolCallId: 'call', toolName: 'double', input: { number: 21 } }

test('an agent that calls a tool without yielding the call fails by name, and its tool does not begin', async () => {
  const { outcome, begun, end } = await runWith(async function* () {
    yield say('Wait.')
    yield say(`It is ${await double()}.`)
    yield finish
  })
  expect(outcome.status).toBe('failed')
  expect(outcome.error).toBeInstanceOf(MissingToolCallError)
  expect(outcome.error).toMatchObject({
    name: 'MissingToolCallError',
    code: 'missing-tool-call',
    toolName: 'double',
    toolCallId: 'call',
    message:
      'The tool "double" was called with the id "call", but its agent has not yielded a "tool-call" event with this id. ' +
      "Yield it before you call the tool: { type: 'tool-call', toolCallId, toolName, input }.",
  })
  expect(begun).toBe(0)
  expect(end).toMatchObject({
    type: 'error',
    errorText:
      'The agent called the tool "double" without yielding its call first. What was said so far is kept.',
  })
})

test('an agent can catch the error and go on', async () => {
  const { outcome, begun } = await runWith(async function* () {
    const said = await double().catch((error: Error) => error.name)
    yield say(said)
    yield finish
  })
  expect(outcome.status).toBe('finished')
  expect(begun).toBe(0)
})

test('an agent that yields the call first gets the result', async () => {
  const { outcome, begun } = await runWith(async function* () {
    yield { type: 'tool-call', ...call }
    const output = await double()
    yield { type: 'tool-result', ...call, output }
    yield say(output)
    yield finish
  })
  expect(outcome.status).toBe('finished')
  expect(begun).toBe(1)
})

// As the AI SDK does: it begins a tool while the events before its call are still on their way.
test('a tool that is called ahead of its event waits for as long as the agent yields events', async () => {
  const { outcome, begun } = await runWith(
    async function* () {
      const output = double()
      for (let word = 0; word < 20; word += 1) yield say('and ')
      yield { type: 'tool-call', ...call }
      yield say(await output)
      yield finish
    },
    // Writing one chunk takes longer than a tool waits for an agent that is silent.
    { emitMs: 10, maxCallWaitMs: 3 },
  )
  expect(outcome.status).toBe('finished')
  expect(begun).toBe(1)
})

/** Calls the tool as an agent does that runs its tools by itself. */
async function double(): Promise<string> {
  const execute = toolSetOf(currentFrame())['double']?.execute
  return String(await execute?.(call.input, { toolCallId: call.toolCallId, messages: [], context: {} }))
}

async function runWith(
  script: () => AsyncIterable<AgentEvent>,
  { emitMs = 0, maxCallWaitMs = 20 }: { readonly emitMs?: number; readonly maxCallWaitMs?: number } = {},
) {
  const chunks: Chunk[] = []
  let begun = 0
  const doubling = tool({
    description: 'Doubles a number.',
    inputSchema: z.object({ number: z.number() }),
    execute: async ({ number }) => {
      begun += 1
      return number * 2
    },
  })
  const run = testRunScope({
    tools: [toolFactory('double', doubling)],
    limits: { ...defaultLimits, maxCallWaitMs },
    emit: async (_, chunk) => {
      if (emitMs > 0) await new Promise(resolve => setTimeout(resolve, emitMs))
      chunks.push(chunk)
    },
  })
  const frame = testFrame({ run, agent: { toolKeys: ['double'] } })
  const outcome = await runAgent(scriptedAgent('a', script), frame, { messages: [] })
  return { outcome, begun, end: chunks.at(-1) }
}

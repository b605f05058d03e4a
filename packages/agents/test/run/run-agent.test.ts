import { type Chunk, isEndChunk, type MessageId } from '@throughline/protocol'
import { agentEvents } from '@throughline/testing/agent/agent-events'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import {
  finish,
  say,
  scriptedAgent,
  textToolText,
  weatherCall,
} from '@throughline/testing/agent/scripted-agent'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { readAsFold } from '@throughline/testing/http/read-chunks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { runAgent } from '../../src/run/run-agent.ts'
import { RunStopped } from '../../src/run/run-stopped.ts'

test('a run ends with finish, the reason, and the usage of all steps', async () => {
  const { chunks, outcome } = await run(scriptedAgent('a', textToolText))
  expect(outcome).toEqual({ status: 'finished' })
  expect(chunks.at(-1)).toEqual({
    type: 'finish',
    finishReason: 'stop',
    messageMetadata: {
      status: 'finished',
      finishReason: 'stop',
      usage: {
        inputTokens: 30,
        outputTokens: 12,
        totalTokens: 42,
        cost: null,
        byModel: { unknown: { inputTokens: 30, outputTokens: 12, totalTokens: 42, calls: 2, cost: null } },
      },
    },
  })
})

test('whatever the events, there is exactly one end, and it is last', async () => {
  await fc.assert(
    fc.asyncProperty(agentEvents, fc.boolean(), async (events, isBroken) => {
      const { chunks } = await run(
        scriptedAgent('a', function* () {
          yield* events
          if (isBroken) throw new Error('The agent broke.')
        }),
      )
      expect(chunks.map(isEndChunk).indexOf(true)).toBe(chunks.length - 1)
    }),
  )
})

test.each<[string, Agent]>([
  ['throws', throwingAgent()],
  [
    'breaks off',
    scriptedAgent('a', function* () {
      yield say('Half')
      throw new Error('secret upstream body')
    }),
  ],
  ['reports an error', scriptedAgent('a', [{ type: 'error', error: new Error('secret upstream body') }])],
])('an agent that %s has failed, in words that give nothing away', async (_, agent) => {
  const { chunks, outcome } = await run(agent)
  expect(outcome).toMatchObject({ status: 'failed', error: { message: 'secret upstream body' } })
  expect(chunks.at(-1)).toMatchObject({ type: 'error' })
  expect(JSON.stringify(chunks)).not.toContain('secret')
})

test('a finish after an error is still a failure', async () => {
  const { outcome } = await run(scriptedAgent('a', [say('Half'), { type: 'error', error: 'x' }, finish]))
  expect(outcome.status).toBe('failed')
})

test('the text from before a failure is kept, once', async () => {
  const { message } = await run(
    scriptedAgent('a', function* () {
      yield say('Half an ans')
      throw new Error('gone')
    }),
  )
  expect(message.parts).toMatchObject([{ type: 'text', text: 'Half an ans', state: 'done' }])
})

test.each([
  ['stop', 'finished'],
  ['content-filter', 'finished'],
  ['other', 'finished'],
  ['tool-calls', 'limit'],
  ['length', 'limit'],
  ['error', 'failed'],
  ['interrupted', 'failed'],
] as const)('the finish reason %s means %s', async (finishReason, status) => {
  const { outcome, message } = await run(scriptedAgent('a', [{ type: 'finish', finishReason }]))
  expect(outcome.status).toBe(status)
  expect(message.metadata?.status).toBe(status)
})

test('an agent that ends without a finish has failed', async () => {
  expect((await run(scriptedAgent('a', [say('Hm')]))).outcome.status).toBe('failed')
})

test('a stop ends a run at once, with every tool closed, although the agent hangs', async () => {
  const stop = new AbortController()
  const agent = scriptedAgent('a', async function* () {
    yield say('Wait')
    yield { type: 'tool-call', ...weatherCall() }
    await new Promise(() => stop.abort(new RunStopped('stopped', 'Stopped by the user.')))
  })
  const { message, outcome } = await run(agent, stop.signal)
  expect(outcome).toEqual({ status: 'stopped', text: 'Stopped by the user.' })
  expect(message.metadata).toMatchObject({ status: 'stopped', statusText: 'Stopped by the user.' })
  expect(message.parts).toMatchObject([
    { text: 'Wait', state: 'done' },
    { state: 'output-error', errorText: 'Interrupted: Stopped by the user.' },
  ])
})

test('a stop counts also when the agent ends in good order because of it', async () => {
  const stop = new AbortController()
  const agent = scriptedAgent('a', function* () {
    stop.abort(new RunStopped('interrupted', 'The server was shut down.'))
    yield finish
  })
  expect((await run(agent, stop.signal)).outcome.status).toBe('interrupted')
})

test('an agent whose chunks nobody can take is left, and the reason is told', async () => {
  const left = Promise.withResolvers<void>()
  const agent = scriptedAgent('a', function* () {
    try {
      for (;;) yield say('more')
    } finally {
      left.resolve()
    }
  })
  const emit = () => Promise.reject(new Error('The disk is full.'))
  const frame = testFrame({ run: testRunScope({ emit }) })
  await expect(runAgent(agent, frame, { messages: [] })).rejects.toThrow('The disk is full.')
  await left.promise
})

async function run(agent: Agent, signal = new AbortController().signal) {
  const chunks: Chunk[] = []
  const emit = async (_: MessageId, chunk: Chunk) => {
    // Steps are told of in `data-step` parts; what they say is shown elsewhere.
    if (chunk.type !== 'data-step') chunks.push(chunk)
  }
  const frame = testFrame({ run: testRunScope({ emit }), signal })
  const outcome = await runAgent(agent, frame, { messages: [] })
  return { chunks, outcome, message: readAsFold([{ type: 'start' }, ...chunks]) }
}

function throwingAgent(): Agent {
  const fail = (): AsyncIterable<AgentEvent> => {
    throw new Error('secret upstream body')
  }
  return { name: 'a', displayName: 'A', run: fail }
}

import { type Chunk, isChunk, isEndChunk, textOf } from '@throughline/protocol'
import { agentEvents } from '@throughline/testing/agent/agent-events'
import { asEvent, badEvent, badEvents } from '@throughline/testing/agent/bad-events'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { readAsFold, readAsStock } from '@throughline/testing/http/read-chunks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { runAgent } from '../../src/run/run-agent.ts'

// Named by their words alone: not every one of these values can be printed.
const named = badEvents.map(([value, problem]) => [problem, () => asEvent(value)] as const)

test.each(named)('a source has failed, and it is told why: %s', async (problem, bad) => {
  const { chunks, outcome, message } = await run([say('Before.'), bad(), say('After.'), finish])
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'invalid-event', problem } })
  expect(chunks.at(-1)).toEqual({
    type: 'error',
    errorText: `The agent sent something that cannot be shown: ${problem}. What was said before it is kept.`,
  })
  expect(message).toMatchObject({
    metadata: { status: 'failed' },
    parts: [{ text: 'Before.', state: 'done' }],
  })
})

test('wherever a bad event stands, the message has one end, and everything before is kept', async () => {
  await fc.assert(
    fc.asyncProperty(agentEvents, badEvent, agentEvents, async (before, bad, after) => {
      const { chunks, message, outcome } = await run([...before, bad, ...after])
      expect(outcome.status).toBe('failed')
      expect(chunks.map(isEndChunk).indexOf(true)).toBe(chunks.length - 1)
      expect(chunks.at(-1)?.type).toBe('error')
      expect(textOf(message)).toBe(textOf((await run(before)).message))
      expect((await readAsStock([{ type: 'start', messageId: 'answer' }, ...chunks])).errors).toHaveLength(1)
    }),
    { numRuns: 300 },
  )
})

test('what is not refused gives chunks that every reader can read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(badEvent, fc.anything().map(asEvent), good)), async events => {
      const { chunks } = await run(events)
      for (const chunk of chunks) expect(isChunk(JSON.parse(JSON.stringify(chunk)))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a tool that writes something bad hears of it, and the message goes on', async () => {
  const { frame, chunks } = recorded()
  const { writer } = frame
  await writer.write(say('a'))
  await expect(writer.write(asEvent({ type: 'text-delta', text: 42 }))).rejects.toThrow(
    'a text-delta event needs a valid "text". Ensure that the agent yields nothing but values of the type AgentEvent.',
  )
  await writer.write(say('b'))
  await writer.end({ status: 'finished', finishReason: 'stop' })
  expect(textOf(readAsFold([{ type: 'start' }, ...chunks]))).toBe('ab')
})

const good: fc.Arbitrary<AgentEvent> = agentEvents
  .filter(({ length }) => length > 0)
  .map(([first]) => asEvent(first))

async function run(events: readonly AgentEvent[]) {
  const { frame, chunks } = recorded()
  const outcome = await runAgent(scriptedAgent('a', events), frame, { messages: [] })
  return { chunks, outcome, message: readAsFold([{ type: 'start' }, ...chunks]) }
}

function recorded() {
  const chunks: Chunk[] = []
  const frame = testFrame({ run: testRunScope({ emit: async (_, chunk) => void chunks.push(chunk) }) })
  return { frame, chunks }
}

import { namedAgent } from '@throughline/agents'
import { fromMastra } from '@throughline/agents/mastra'
import { isToolPart } from '@throughline/protocol'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { approvalIn, type Decision, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { expect, test, vi } from 'vitest'
import { answerOf, scripted, serve } from './mastra/serve.ts'
import { careful, lonelyCareful, supervisor } from './mastra/support.ts'

const turns = [[saying('I try. '), calling('remove', { what: 'all' })], [saying('Done.')]]

test('a tool with requireApproval waits for a person, and runs after the approval', async () => {
  const removed: string[] = []
  await using waiting = await untilAsked(careful(scripted(turns), removed))
  const [, , call] = (await loadAnswer(waiting.url)).parts
  expect(call).toMatchObject({ state: 'approval-requested', input: { what: 'all' } })
  expect(removed).toEqual([])
  await waiting.decide({ approved: true })
  await waiting.ended()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I try. ' },
    { type: 'tool-remove', state: 'output-available', output: { removed: 'all' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Done.' },
  ])
  expect(metadata).toMatchObject({
    status: 'finished',
    usage: { byModel: { 'test:scripted': { calls: 2 } } },
  })
  expect(removed).toEqual(['all'])
})

test('a call that a person denies does not run, and the model reads why', async () => {
  const removed: string[] = []
  const model = scripted(turns)
  await using waiting = await untilAsked(careful(model, removed))
  await waiting.decide({ approved: false, reason: 'Not today' })
  await waiting.ended()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(parts[2]).toMatchObject({ type: 'tool-remove', state: 'output-denied' })
  expect(parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' })
  expect(metadata?.status).toBe('finished')
  expect(removed).toEqual([])
  expect(JSON.stringify(model.doStreamCalls[1]?.prompt)).toContain('Not today')
})

test('each of several calls asks for itself', async () => {
  const removed: string[] = []
  const calls = [calling('remove', { what: 'a' }, 'a'), calling('remove', { what: 'b' }, 'b')]
  await using waiting = await untilAsked(careful(scripted([calls, [saying('Done.')]]), removed))
  await waiting.decide({ approved: false })
  await waiting.decide({ approved: true })
  await waiting.ended()
  const { parts } = await loadAnswer(waiting.url)
  expect(parts.filter(({ type }) => type === 'tool-remove')).toMatchObject([
    { state: 'output-denied', input: { what: 'a' } },
    { state: 'output-available', input: { what: 'b' } },
  ])
  expect(removed).toEqual(['b'])
})

test('a stop while a call waits ends the answer, and nothing runs', async () => {
  const removed: string[] = []
  await using waiting = await untilAsked(careful(scripted(turns), removed))
  await stop(waiting.url)
  await waiting.ended()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(parts[2]).toMatchObject({ state: 'output-denied' })
  expect(metadata?.status).toBe('stopped')
  expect(removed).toEqual([])
})

test.each([
  ['of an agent that is not registered', lonelyCareful, 'new Mastra({ agents: { … } })', 'remove'],
  ['that suspends itself', careful, 'has called suspend()', 'form'],
])('a tool %s fails, and says what to do', async (_, make, advice, toolName) => {
  const input = toolName === 'remove' ? { what: 'all' } : {}
  const { parts, metadata } = await answerOf(make(scripted([[calling(toolName, input)]])))
  const errorText = expect.stringContaining(advice)
  expect(parts).toContainEqual(expect.objectContaining({ state: 'output-error', errorText }))
  expect(metadata?.status).toBe('failed')
})

test('a tool of an agent inside the agent is not approved under the name of another call', async () => {
  const removed: string[] = []
  const model = scriptedModel({
    boss: [[calling('agent-helper', { prompt: 'Tidy up.' })]],
    support: [[calling('remove', { what: 'all' })]],
  })
  const { parts, metadata } = await answerOf(supervisor(model, lonelyCareful(model, removed)))
  const errorText = expect.stringContaining('The tool "remove" of a sub-agent in Mastra needs approval')
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-agent-helper', errorText }))
  expect(metadata?.status).toBe('failed')
  expect(removed).toEqual([])
})

test('a person can approve a call of an agent that another agent has asked', async () => {
  const removed: string[] = []
  const model = scriptedModel({ master: [[asking('helper')], [saying('Thanks.')]], support: turns })
  const helper = namedAgent('helper', fromMastra(careful(model, removed)))
  await using server = await startDelegation({ model, subAgents: [helper] })
  const stream = new SseBytes(await ask(server.url, { form: '?subAgents=separate&approvals=wait' }))
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), { approved: true })
  await stream.rest()
  const [message] = messagesBy(replay(await readLog(server.url)), 'helper')
  expect(message?.parts).toContainEqual(
    expect.objectContaining({ type: 'tool-remove', output: { removed: 'all' } }),
  )
  expect(removed).toEqual(['all'])
})

/** Starts a run, and waits until its first call asks for approval. */
async function untilAsked(agent: Parameters<typeof serve>[0]) {
  const server = await serve(agent)
  const stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"approvalId":')
  return {
    url: server.url,
    /** Decides the call that waits, or the next one that does. */
    decide: async (decision: Decision) => decide(server.url, await waitingIn(server.url), decision),
    ended: () => stream.rest(),
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Resolves to the id of the approval for which the answer waits. */
async function waitingIn(url: string): Promise<string> {
  return await vi.waitFor(async () => {
    const { parts } = await loadAnswer(url)
    const call = parts.filter(isToolPart).find(({ state }) => state === 'approval-requested')
    if (call?.approval === undefined) throw new Error(`Nothing waits: ${JSON.stringify(parts)}`)
    return call.approval.id
  }, 10_000)
}

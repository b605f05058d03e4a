import {
  type Agent,
  type AgentEvent,
  type ApprovalDecision,
  askApproval,
  askOutput,
} from '@throughline/agents'
import { awaitedOutputs } from '@throughline/protocol'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const call = { toolCallId: 'c', toolName: 'pay', input: { amount: 7 } } as const
const saidAndDone = (text: string): AgentEvent[] => [
  { type: 'text-delta', text },
  { type: 'finish', finishReason: 'stop' },
]

const asks: Agent = {
  name: 'payer',
  displayName: 'The payer',
  async *run() {
    yield { type: 'tool-call', ...call }
    const { approved, reason } = await askApproval(call)
    if (approved) yield { type: 'tool-result', ...call, output: 'paid' }
    yield* saidAndDone(approved ? 'Paid.' : `Not paid: ${reason}`)
  },
}

const yields: Agent = {
  name: 'payer',
  displayName: 'The payer',
  async *run(): AsyncGenerator<AgentEvent, void, ApprovalDecision | undefined> {
    yield { type: 'tool-call', ...call }
    const decision = yield { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'mine' }
    const { approved = false, reason } = decision ?? {}
    yield { type: 'tool-approval-response', toolCallId: 'c', approvalId: 'mine', approved }
    if (approved) yield { type: 'tool-result', ...call, output: 'paid' }
    yield* saidAndDone(approved ? 'Paid.' : `Not paid: ${reason}`)
  },
}

describe.each([
  ['calls askApproval', asks],
  ['yields a request', yields],
])('an agent of any kind that %s', (_, agent) => {
  test.each([
    [{ approved: true }, 'output-available', 'Paid.'],
    [{ approved: false, reason: 'Too much.' }, 'output-denied', 'Not paid: Too much.'],
  ])('waits for a person, and learns the decision %j', async (decision, state, text) => {
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
    await stream.until('"type":"tool-approval-request"')
    await stream.until('"approvalId":')
    expect((await decide(server.url, approvalIn(stream.bytes), decision)).status).toBe(200)
    await stream.rest()
    const { parts, metadata } = await loadAnswer(server.url)
    expect(metadata?.status).toBe('finished')
    expect(parts.find(({ type }) => type === 'tool-pay')).toMatchObject({ state })
    expect(parts.at(-1)).toMatchObject({ text })
  })

  test('ends when it is stopped while it waits', async () => {
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
    await stream.until('"type":"tool-approval-request"')
    await stop(server.url)
    await stream.rest()
    expect((await loadAnswer(server.url)).metadata?.status).toBe('stopped')
  })
})

test('a request for a call that was not made ends the answer, and says so', async () => {
  const agent: Agent = {
    name: 'payer',
    displayName: 'The payer',
    async *run() {
      yield { type: 'tool-approval-request', toolCallId: 'none', approvalId: 'mine' }
    },
  }
  await using server = await startTestServer({ agents: [agent] })
  await (await ask(server.url)).text()
  const { metadata } = await loadAnswer(server.url)
  expect(metadata).toMatchObject({ status: 'failed', statusText: expect.stringContaining('tool-call') })
})

test('an agent asks a person a question, who answers once', async () => {
  const question = { toolCallId: 'q', toolName: 'question', input: { question: 'How many?' } }
  const agent: Agent = {
    name: 'asker',
    displayName: 'The asker',
    async *run() {
      yield { type: 'tool-call', ...question }
      const output = await askOutput({ ...question, from: 'person' })
      yield { type: 'tool-result', ...question, output }
      yield* saidAndDone(`So ${output}.`)
    },
  }
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"type":"data-output-request"')
  await stream.until('\n\n')
  const [waiting] = awaitedOutputs(await loadAnswer(server.url))
  expect(waiting).toMatchObject({ from: 'person', part: { input: { question: 'How many?' } } })
  const give = (body: object, id = waiting?.requestId) => sendJson(`${server.url}/api/outputs/${id}`, body)
  expect((await give({})).status).toBe(400)
  expect((await give({ output: 3 }, 'call_0')).status).toBe(404)
  expect((await give({ output: 3 })).status).toBe(200)
  expect((await give({ output: 3 })).status).toBe(200)
  expect((await give({ output: 4 })).status).toBe(409)
  await stream.rest()
  expect((await loadAnswer(server.url)).parts.at(-1)).toMatchObject({ text: 'So 3.' })
})

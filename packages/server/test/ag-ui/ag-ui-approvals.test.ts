import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent, Interrupt, Message, ResumeEntry } from '@ag-ui/core'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { loadAnswer, loadChat, problemOf, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { approvalServer, type WaitingOptions } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'

const question: Message = { id: 'question', role: 'user', content: 'Remove it.' }

const two = {
  model: scriptedModel({
    master: [
      [calling('remove', { what: 'one' }, 'first'), calling('remove', { what: 'two' }, 'second')],
      [saying('Done.')],
    ],
  }),
}

describe('an AG-UI client whose tool needs approval', () => {
  test('has an interrupt, and goes on when it is resolved', async () => {
    await using page = await startAgUi()
    const { agent, removed, events } = page
    await agent.runAgent({ runId: 'run-1' })
    const answerId = (await loadAnswer(page.url)).id
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      runId: 'run-1',
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: expect.stringMatching(/^approval_/),
            reason: 'approval_required',
            message: 'Allow "remove"?',
            toolCallId: `${answerId}:call-remove`,
            responseSchema: { type: 'object', required: ['approved'] },
            metadata: { kind: 'approval', toolName: 'remove', input: { what: 'all' } },
          },
        ],
      },
    })
    expect(removed).toEqual([])
    await agent.runAgent({ runId: 'run-2', resume: resolved(agent.pendingInterrupts, { approved: true }) })
    expect(agent.pendingInterrupts).toEqual([])
    expect(removed).toEqual(['all'])
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      runId: 'run-2',
      outcome: { type: 'success' },
      result: { messageId: answerId },
    })
    expect(agent.messages.slice(1)).toMatchObject([
      { role: 'assistant', toolCalls: [{ id: `${answerId}:call-remove` }] },
      { role: 'tool', content: '{"removed":"all"}' },
      { role: 'assistant', content: 'Done.' },
    ])
    expect(page.model.doStreamCalls).toHaveLength(2)
    expect((await loadChat(page.url)).messages).toHaveLength(2)
  })

  test.each<[string, Omit<ResumeEntry, 'interruptId'>, string]>([
    ['denied', { status: 'resolved', payload: { approved: false, reason: 'Too risky' } }, 'Too risky'],
    ['cancelled', { status: 'cancelled' }, 'did not allow this call'],
    ['answered with no', { status: 'resolved', payload: false }, 'did not allow this call'],
  ])('goes on when the request is %s, and the model reads why', async (_, entry, words) => {
    await using page = await startAgUi()
    const { agent } = page
    await agent.runAgent()
    const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, ...entry }))
    await agent.runAgent({ resume })
    expect(page.removed).toEqual([])
    expect(toolResultsOf(page.model, 'master')).toContain(words)
    expect(agent.messages.at(-1)).toMatchObject({ content: 'Done.' })
    expect(agent.messages.at(-2)).toMatchObject({
      role: 'tool',
      metadata: { throughline: { isError: true } },
    })
  })

  test('answers parallel calls together', async () => {
    await using page = await startAgUi(two)
    const { agent, removed } = page
    await agent.runAgent()
    const [first, second] = agent.pendingInterrupts
    expect(first?.toolCallId).toMatch(/:first$/)
    const resume = [...resolved([first], { approved: true }), ...resolved([second], { approved: false })]
    await agent.runAgent({ resume })
    expect(removed).toEqual(['one'])
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
  })

  test('that resumes only one of two has the other one again', async () => {
    await using page = await startAgUi(two)
    const { agent, removed } = page
    await agent.runAgent()
    const [first, second] = agent.pendingInterrupts
    agent.pendingInterrupts = []
    await agent.runAgent({ resume: resolved([first], { approved: true }) })
    expect(removed).toEqual(['one'])
    expect(agent.pendingInterrupts).toMatchObject([{ id: second?.id }])
    await agent.runAgent({ resume: resolved([second], { approved: true }) })
    expect(removed).toEqual(['one', 'two'])
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
  })

  test('waits again for the next call of the same answer', async () => {
    const model = scriptedModel({
      master: [
        [saying('First.'), calling('remove', { what: 'one' }, 'first')],
        [saying('Second.'), calling('remove', { what: 'two' }, 'second')],
        [saying('Done.')],
      ],
    })
    await using page = await startAgUi({ model })
    const { agent } = page
    await agent.runAgent()
    await agent.runAgent({ resume: resolved(agent.pendingInterrupts, { approved: true }) })
    await agent.runAgent({ resume: resolved(agent.pendingInterrupts, { approved: true }) })
    expect(page.removed).toEqual(['one', 'two'])
    expect(agent.messages.slice(1)).toMatchObject([
      { content: 'First.', toolCalls: [{}] },
      { role: 'tool' },
      { content: 'Second.', toolCalls: [{}] },
      { role: 'tool' },
      { content: 'Done.' },
    ])
  })

  test('has the same interrupt when it asks again', async () => {
    await using page = await startAgUi()
    const { agent } = page
    await agent.runAgent()
    const { pendingInterrupts, messages } = agent
    agent.pendingInterrupts = []
    await agent.runAgent()
    expect(agent.pendingInterrupts).toEqual(pendingInterrupts)
    expect(agent.messages).toEqual(messages)
  })

  test('that answers a request which is over is shown what became of it', async () => {
    await using page = await startAgUi()
    const { agent, events } = page
    await agent.runAgent()
    await stop(page.url)
    await agent.runAgent({ resume: resolved(agent.pendingInterrupts, { approved: true }) })
    expect(page.removed).toEqual([])
    expect(agent.pendingInterrupts).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
    expect(page.model.doStreamCalls).toHaveLength(1)
  })

  test('that writes instead of deciding gets an answer to that', async () => {
    await using page = await startAgUi()
    const { agent } = page
    await agent.runAgent()
    agent.addMessage({ id: 'second', role: 'user', content: 'No, wait.' })
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'cancelled' as const,
    }))
    await agent.runAgent({ resume })
    expect(page.removed).toEqual([])
    const { messages } = await loadChat(page.url)
    expect(messages.map(({ metadata }) => metadata?.status)).toEqual([
      undefined,
      'stopped',
      undefined,
      'streaming',
    ])
    expect(agent.pendingInterrupts).toHaveLength(1)
  })

  test('that knows no interrupts can ask the stream to stay open', async () => {
    await using page = await startAgUi()
    const body = { threadId: 'chat', runId: 'run', messages: [question] }
    await using stream = new SseBytes(await sendJson(`${page.url}/ag-ui?approvals=wait`, body))
    await stream.until('"name":"tool-approval-request"')
    const [, id = ''] = /"approvalId":"([^"]+)"/.exec(stream.bytes.toString()) ?? []
    await decide(page.url, id, { approved: true })
    const text = (await stream.rest()).toString()
    expect(text).toContain('"outcome":{"type":"success"}')
    expect(text).not.toContain('interrupt"')
  })
})

describe('a sub-agent that waits', () => {
  const delegation = {
    model: scriptedModel({
      master: [[saying('I ask.'), asking('lead')], [saying('Done.')]],
      lead: [[asking('worker')], [saying('Led.')]],
      worker: [[saying('I remove.'), calling('remove', { what: 'all' })], [saying('Worked.')]],
    }),
    subAgents: [
      subAgent('lead', { tools: ['remove'], allowedSubAgents: ['worker'] }),
      subAgent('worker', { tools: ['remove'] }),
    ],
  }

  test('is suspended with its callers, and goes on with them', async () => {
    await using page = await startAgUi(delegation)
    const { agent, events } = page
    await agent.runAgent()
    const [interrupt] = agent.pendingInterrupts
    const suspended = events.filter(({ type }) => type === 'SUBAGENT_FINISHED')
    expect(suspended).toMatchObject([
      {
        subagentRunId: interrupt?.subagentRunId,
        outcome: { type: 'suspended', interruptIds: [interrupt?.id] },
      },
      { outcome: { type: 'suspended', interruptIds: [] } },
    ])
    const before = events.length
    await agent.runAgent({ runId: 'second', resume: resolved(agent.pendingInterrupts, { approved: true }) })
    expect(page.removed).toEqual(['all'])
    expect(
      events
        .slice(before)
        .map(({ type }) => type)
        .filter(type => type.startsWith('SUBAGENT_')),
    ).toEqual(['SUBAGENT_STARTED', 'SUBAGENT_STARTED', 'SUBAGENT_FINISHED', 'SUBAGENT_FINISHED'])
    const texts = agent.messages.flatMap(({ role, content }) =>
      role === 'assistant' && content ? [content] : [],
    )
    expect(texts).toEqual(['I ask.', 'I remove.', 'Worked.', 'Led.', 'Done.'])
    // Whoever reads it all at once has the same.
    const again = agentOn(page.url)
    await again.runAgent({ runId: 'second' })
    expect(again.messages).toEqual(agent.messages)
  })

  test('is not asked for where sub-agents are hidden: the stream stays open', async () => {
    await using page = await startAgUi(delegation)
    await page.agent.runAgent()
    const [interrupt] = page.agent.pendingInterrupts
    const body = { threadId: 'chat', runId: 'run', messages: [question] }
    await using hidden = new SseBytes(await sendJson(`${page.url}/ag-ui?subAgents=hidden`, body))
    await hidden.until('I ask.')
    await decide(page.url, interrupt?.id ?? '', { approved: true })
    const text = (await hidden.rest()).toString()
    expect(text).toContain('"outcome":{"type":"success"}')
    expect(text).not.toContain('"type":"interrupt"')
  })
})

describe('a resume', () => {
  test('of another owner’s request counts for nothing', async () => {
    const tokens = new Map([
      ['a-token', ownerIdOf('ada')],
      ['b-token', ownerIdOf('bob')],
    ])
    await using page = await startAgUi({ tokens, headers: { authorization: 'Bearer a-token' } })
    await page.agent.runAgent()
    const [interrupt] = page.agent.pendingInterrupts
    const foreign = agentOn(page.url, { headers: { authorization: 'Bearer b-token' } })
    await foreign.runAgent({ resume: resolved([interrupt], { approved: true }) })
    expect(page.removed).toEqual([])
    expect(foreign.pendingInterrupts).toHaveLength(1)
    expect(foreign.pendingInterrupts).not.toMatchObject([{ id: interrupt?.id }])
  })

  test('of a request in another thread counts for nothing', async () => {
    await using page = await startAgUi()
    await page.agent.runAgent()
    const [interrupt] = page.agent.pendingInterrupts
    const other = agentOn(page.url, { threadId: 'other' })
    await other.runAgent({ resume: resolved([interrupt], { approved: true }) })
    expect(page.removed).toEqual([])
  })

  test('under an id that nobody gave out is as if it were not there', async () => {
    await using page = await startAgUi()
    const { agent } = page
    await agent.runAgent()
    const { pendingInterrupts } = agent
    agent.pendingInterrupts = []
    await agent.runAgent({ resume: [{ interruptId: 'approval_forged', status: 'resolved', payload: true }] })
    expect(page.removed).toEqual([])
    expect(agent.pendingInterrupts).toEqual(pendingInterrupts)
    expect(page.model.doStreamCalls).toHaveLength(1)
  })

  test.each([
    ['without a decision', { payload: { ok: 1 } }, 'invalid-body'],
    [
      'with other arguments',
      { payload: { approved: true, editedArgs: { what: 'one' } } },
      'edited-arguments',
    ],
  ])('%s is refused, and the call still waits', async (_, fields, code) => {
    await using page = await startAgUi()
    await page.agent.runAgent()
    const [interrupt] = page.agent.pendingInterrupts
    const resume = [{ interruptId: interrupt?.id, status: 'resolved', ...fields }]
    const body = { threadId: 'chat', runId: 'run', messages: [question], resume }
    expect(await problemOf(await sendJson(`${page.url}/ag-ui`, body))).toMatchObject({ status: 400, code })
    expect((await loadAnswer(page.url)).metadata?.status).toBe('streaming')
    expect(page.removed).toEqual([])
  })
})

type AgentOptions = Readonly<Pick<ConstructorParameters<typeof HttpAgent>[0], 'threadId' | 'headers'>>

/** A server whose tool `remove` waits for a person, an AG-UI client of it, and all events that the client got. */
async function startAgUi({ headers = {}, ...options }: WaitingOptions = {}) {
  const fixture = await approvalServer(options)
  const events: BaseEvent[] = []
  const agent = agentOn(fixture.url, { headers: { ...headers } })
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) })
  return { ...fixture, agent, events, [Symbol.asyncDispose]: () => fixture.server[Symbol.asyncDispose]() }
}

function agentOn(url: string, options: AgentOptions = {}): HttpAgent {
  return new HttpAgent({ url: `${url}/ag-ui`, threadId: 'chat', initialMessages: [question], ...options })
}

function resolved(interrupts: readonly (Interrupt | undefined)[], payload: object): ResumeEntry[] {
  return interrupts.flatMap(each => (each ? [{ interruptId: each.id, status: 'resolved', payload }] : []))
}

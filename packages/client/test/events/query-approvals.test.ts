import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { approvalServer, type WaitingOptions } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'
import { effectScope } from 'vue'
import { queryAgent } from '../../src/events/query-agent.ts'
import { QueryStore, type QueryStoreOptions } from '../../src/events/query-store.ts'
import { decideApproval } from '../../src/events/session-requests.ts'
import { ChatError } from '../../src/http/chat-error.ts'
import { useAgentStream } from '../../src/vue.ts'
import { turnUntil } from '../turn-until.ts'
import { recordingCallbacks } from './scripted-queries.ts'

const two = {
  model: scriptedModel({
    master: [
      [calling('remove', { what: 'one' }, 'first'), calling('remove', { what: 'two' }, 'second')],
      [saying('Done.')],
    ],
  }),
}

describe('queryAgent', () => {
  test('tells of a call that waits, with a way to answer it', async () => {
    await using server = await startServer()
    const { calls, callbacks } = recordingCallbacks()
    const text = await queryAgent(
      'Remove it.',
      null,
      {
        ...callbacks,
        onApprovalRequest(event, answer) {
          callbacks.onApprovalRequest?.(event, answer)
          void answer(true)
        },
      },
      { url: server.url },
    )
    expect(text).toBe('Done.')
    expect(server.removed).toEqual(['all'])
    const told = calls.filter(([name]) => /Tool|Approval/.test(String(name)))
    expect(told.map(([name]) => name)).toEqual([
      'onToolCall',
      'onApprovalRequest',
      'onApprovalResponse',
      'onToolResult',
    ])
    expect(told[1]?.[1]).toMatchObject({ tool: 'remove', args: { what: 'all' } })
    expect(told[2]?.[1]).toMatchObject({ approved: true })
  })

  test('tells of a sub-agent’s call too, and the agent reads why it was denied', async () => {
    const model = scriptedModel({
      master: [[asking('worker')], [saying('Done.')]],
      worker: [[calling('remove', { what: 'all' })], [saying('I may not.')]],
    })
    await using server = await startServer({ model, subAgents: [subAgent('worker', { tools: ['remove'] })] })
    const names: string[] = []
    await queryAgent(
      'Remove it.',
      'trip',
      {
        onApprovalRequest({ display_name }, answer) {
          names.push(display_name)
          void answer(false, 'Too risky')
        },
      },
      { url: server.url },
    )
    expect(names).toEqual(['The worker: remove'])
    expect(server.removed).toEqual([])
    expect(toolResultsOf(model, 'worker')).toContain('Too risky')
  })

  test('rejects an answer that did not arrive, and no other', async () => {
    await using server = await startServer()
    const answer = { sessionId: 'nowhere', approvalId: 'approval_none', approved: true }
    const failed = decideApproval(answer, { url: server.url })
    await expect(failed).rejects.toThrow(ChatError)
    await expect(failed).rejects.toMatchObject({ code: 'approval-not-found', status: 404 })
    const outcomes: unknown[] = []
    await queryAgent(
      'Remove it.',
      'trip',
      {
        async onApprovalRequest(_, answerRequest) {
          outcomes.push(...(await Promise.allSettled([answerRequest(true), answerRequest(false)])))
        },
      },
      { url: server.url },
    )
    await turnUntil(() => outcomes.length === 2)
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
  })
})

describe('a query on a page', () => {
  test('shows the calls that wait until they are answered', async () => {
    await using server = await startServer(two)
    const store = new QueryStore(options(server.url))
    const ended = store.query('Remove both.')
    await turnUntil(() => store.getSnapshot().approvals.length === 2)
    const [first, second] = store.getSnapshot().approvals
    expect(store.getSnapshot().isStreaming).toBe(true)
    await store.approve(first?.approval_id ?? '')
    await turnUntil(() => store.getSnapshot().approvals.length === 1)
    expect(store.getSnapshot().approvals).toEqual([second])
    await store.approve(second?.approval_id ?? '', false, 'Keep it.')
    await ended
    expect(server.removed).toEqual(['one'])
    expect(store.getSnapshot()).toMatchObject({ approvals: [], response: 'Done.', error: undefined })
    expect(store.getSnapshot().tools.get('second')).toMatchObject({
      status: 'error',
      result: { result: 'Not allowed: Keep it.' },
    })
  })

  test('shows none any more when it was stopped or left', async () => {
    await using server = await startServer()
    for (const end of ['stop', 'abort'] as const) {
      const store = new QueryStore(options(server.url))
      const ended = store.query('Remove it.')
      await turnUntil(() => store.getSnapshot().approvals.length === 1)
      await store[end]()
      await ended
      expect(store.getSnapshot().approvals).toEqual([])
    }
  })

  test('shows that an answer could not be given', async () => {
    await using server = await startServer()
    const store = new QueryStore(options(server.url))
    void store.query('Remove it.')
    await turnUntil(() => store.getSnapshot().approvals.length === 1)
    await store.approve('approval_none')
    await turnUntil(() => store.getSnapshot().error !== undefined)
    expect(store.getSnapshot().error).toMatchObject({ code: 'approval-not-found' })
    store.abort()
  })

  test('in Vue has the same, and can answer', async () => {
    await using server = await startServer()
    const scope = effectScope()
    const stream = scope.run(() => useAgentStream(options(server.url)))
    const ended = stream?.streamQuery('Remove it.')
    await turnUntil(() => stream?.approvals.value.length === 1)
    const [request] = stream?.approvals.value ?? []
    await stream?.approve(request?.approval_id ?? '')
    await ended
    expect(stream?.approvals.value).toEqual([])
    expect(server.removed).toEqual(['all'])
    scope.stop()
  })
})

function options(url: string): QueryStoreOptions {
  return { url, onFrame: callback => void setImmediate(callback) }
}

async function startServer(wanted: WaitingOptions = {}) {
  const fixture = await approvalServer(wanted)
  return { ...fixture, [Symbol.asyncDispose]: () => fixture.server[Symbol.asyncDispose]() }
}

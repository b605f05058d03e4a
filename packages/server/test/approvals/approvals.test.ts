import { toolFactory } from '@throughline/agents'
import { isToolPart } from '@throughline/protocol'
import type { ApprovalRecord } from '@throughline/store/testing'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { subAgent } from '@throughline/testing/server/delegating-server'
import { waitingCall } from '@throughline/testing/server/waiting-call'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

describe('a tool call that needs approval', () => {
  test('waits, and runs when a person approves', async () => {
    await using fixture = await waitingCall()
    expect(fixture.removed).toEqual([])
    expect(await partStates(fixture.url)).toEqual(['approval-requested'])
    expect((await decide(fixture.url, fixture.approvalId, { approved: true })).status).toBe(200)
    await fixture.stream.rest()
    expect(fixture.removed).toEqual(['all'])
    const answer = await loadAnswer(fixture.url)
    expect(answer.metadata?.status).toBe('finished')
    expect(answer.parts.find(isToolPart)).toMatchObject({
      state: 'output-available',
      output: { removed: 'all' },
      approval: { id: fixture.approvalId, approved: true },
    })
  })

  test('does not run when a person denies, and the model reads why', async () => {
    await using fixture = await waitingCall()
    await decide(fixture.url, fixture.approvalId, { approved: false, reason: 'Too risky' })
    const bytes = await fixture.stream.rest()
    expect(bytes.toString()).toContain('"type":"tool-output-denied"')
    expect(fixture.removed).toEqual([])
    expect(toolResultsOf(fixture.model, 'master')).toContain('did not allow this call: Too risky.')
    const answer = await loadAnswer(fixture.url)
    expect(answer.metadata?.status).toBe('finished')
    expect(answer.parts).toMatchObject([
      {},
      { state: 'output-denied', approval: { approved: false, reason: 'Too risky' } },
      { type: 'data-step', data: { status: 'error' } },
      {},
      { text: 'Done.' },
    ])
  })

  test('that was denied does not stand in the way of the next question', async () => {
    await using fixture = await waitingCall()
    await decide(fixture.url, fixture.approvalId, { approved: false })
    await fixture.stream.rest()
    await using next = new SseBytes(await ask(fixture.url, { messageId: 'again', form: '?approvals=wait' }))
    await next.until('"type":"tool-approval-request"')
    await decide(fixture.url, approvalIn(next.bytes), { approved: true })
    await next.rest()
    expect((await loadAnswer(fixture.url)).metadata?.status).toBe('finished')
  })

  test('is denied when nobody answers in time', async () => {
    await using fixture = await waitingCall({ limits: { maxApprovalMs: 20 } })
    await fixture.stream.rest()
    expect(fixture.removed).toEqual([])
    expect(toolResultsOf(fixture.model, 'master')).toContain('Nobody decided in time.')
    expect(await partStates(fixture.url)).toEqual(['output-denied'])
    const late = await decide(fixture.url, fixture.approvalId, { approved: true })
    expect(late.status).toBe(409)
  })

  test('that a person approves in the moment its time is up does what the person was told', async () => {
    const isExpiring = Promise.withResolvers<void>()
    const expire = Promise.withResolvers<void>()
    await using fixture = await waitingCall({
      limits: { maxApprovalMs: 20 },
      wrapStore: store => ({
        ...store,
        approvals: {
          ...store.approvals,
          async settle(ownerId, id, end) {
            if (end.status === 'expired') {
              isExpiring.resolve()
              await expire.promise
            }
            return store.approvals.settle(ownerId, id, end)
          },
        },
      }),
    })
    await isExpiring.promise
    expect((await decide(fixture.url, fixture.approvalId, { approved: true })).status).toBe(200)
    expire.resolve()
    await fixture.stream.rest()
    expect(fixture.removed).toEqual(['all'])
  })

  test('asks only for the inputs for which it must', async () => {
    const needsApproval = (input: unknown) => JSON.stringify(input).includes('all')
    const model = scriptedModel({
      master: [
        [calling('remove', { what: 'one' }, 'small'), calling('remove', { what: 'all' }, 'large')],
        [saying('Done.')],
      ],
    })
    await using fixture = await waitingCall({ model, needsApproval })
    expect(fixture.removed).toEqual(['one'])
    await decide(fixture.url, fixture.approvalId, { approved: true })
    await fixture.stream.rest()
    expect(fixture.removed).toEqual(['one', 'all'])
  })

  test('waits at any depth, in the message of the agent that called', async () => {
    const model = scriptedModel({
      master: [[asking('lead')], [saying('Done.')]],
      lead: [[asking('worker')], [saying('Led.')]],
      worker: [[calling('remove', { what: 'all' })], [saying('Worked.')]],
    })
    const records: ApprovalRecord[] = []
    await using fixture = await waitingCall({
      model,
      subAgents: [
        subAgent('lead', { tools: ['remove'], allowedSubAgents: ['worker'] }),
        subAgent('worker', { tools: ['remove'] }),
      ],
      wrapStore: store => ({
        ...store,
        approvals: {
          ...store.approvals,
          open(approval) {
            records.push(approval)
            return store.approvals.open(approval)
          },
        },
      }),
    })
    const [waiting] = messagesBy((await loadChat(fixture.url)).messages, 'worker')
    const call = waiting?.parts.find(isToolPart)
    expect(call).toMatchObject({ state: 'approval-requested', approval: { id: fixture.approvalId } })
    expect(records).toMatchObject([
      { id: fixture.approvalId, messageId: waiting?.id, toolCallId: call?.toolCallId, toolName: 'remove' },
    ])
    await decide(fixture.url, fixture.approvalId, { approved: true })
    await fixture.stream.rest()
    expect(fixture.removed).toEqual(['all'])
    expect((await loadAnswer(fixture.url)).metadata?.status).toBe('finished')
  })

  test('shows its progress like any other, once it may run', async () => {
    const slow = toolFactory(
      'slow',
      tool({
        description: 'Tells how far it is.',
        inputSchema: z.object({}),
        async *execute() {
          yield { done: 1 }
          yield { done: 2 }
        },
      }),
      { needsApproval: true },
    )
    const model = scriptedModel({ master: [[calling('slow', {})], [saying('Done.')]] })
    await using fixture = await waitingCall({ model, tools: [slow] })
    await decide(fixture.url, fixture.approvalId, { approved: true })
    const bytes = await fixture.stream.rest()
    expect(bytes.toString()).toContain('"output":{"done":1},"preliminary":true')
    expect((await loadAnswer(fixture.url)).parts.find(isToolPart)).toMatchObject({
      state: 'output-available',
      output: { done: 2 },
    })
  })
})

async function partStates(url: string): Promise<readonly string[]> {
  const { parts } = await loadAnswer(url)
  return parts.filter(isToolPart).map(({ state }) => state)
}

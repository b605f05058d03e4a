import { ada, at, bob, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { ApprovalRecord } from '../../src/runs/approvals.ts'

const approved = { status: 'approved', at: at(1) } as const
const denied = { status: 'denied', reason: 'No.', at: at(1) } as const

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('a request waits until it is answered', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    expect((await approvals.find(ada, 'approval'))?.status).toBe('pending')
    expect(await approvals.settle(ada, 'approval', denied)).toBe(true)
    expect((await approvals.find(ada, 'approval'))?.status).toBe('denied')
  })

  test('a request is answered once, whoever comes at the same time', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    const answers = [approved, denied, approved, { status: 'expired', at: at(2) } as const]
    const isFirst = await Promise.all(answers.map(end => approvals.settle(ada, 'approval', end)))
    expect(isFirst.filter(Boolean)).toHaveLength(1)
    expect((await approvals.find(ada, 'approval'))?.status).toBe(answers[isFirst.indexOf(true)]?.status)
  })

  test('of many ids, those of this owner are found', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    await approvals.settle(ada, 'approval', denied)
    const ids = ['unknown', 'approval']
    expect(await approvals.findAll(ada, ids)).toMatchObject([{ id: 'approval', status: 'denied' }])
    expect(await approvals.findAll(bob, ids)).toEqual([])
    expect(await approvals.findAll(ada, [])).toEqual([])
  })

  test('a request of another owner is neither seen nor answered', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    expect((await approvals.find(bob, 'approval'))?.status).toBeUndefined()
    expect(await approvals.settle(bob, 'approval', approved)).toBe(false)
    expect((await approvals.find(ada, 'approval'))?.status).toBe('pending')
  })

  test('what waits in a run is known by the run, and only to its owner', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    await approvals.open({ ...request, id: 'answered' })
    await approvals.settle(ada, 'answered', approved)
    await approvals.open({ ...request, id: 'elsewhere', runId: testRun('other').id })
    expect(await approvals.pending(ada, run.id)).toEqual(new Set(['approval']))
    expect(await approvals.pending(bob, run.id)).toEqual(new Set())
    expect(await approvals.find(ada, 'approval')).toMatchObject({
      id: 'approval',
      kind: 'approval',
      chatId: run.chatId,
      runId: run.id,
      status: 'pending',
    })
  })

  test('a call is found with what it waits for, and keeps the output that it got', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    const call = { ownerId: ada, chatId: run.chatId, messageId: request.messageId, toolCallId: 'where' }
    await approvals.open({ ...request, ...call, id: 'output', kind: 'output' })
    expect((await approvals.outputsOfCall(call)).map(({ id }) => id)).toEqual(['output'])
    expect(await approvals.outputsOfCall({ ...call, toolCallId: request.toolCallId })).toEqual([])
    expect(await approvals.outputsOfCall({ ...call, ownerId: bob })).toEqual([])
    expect((await approvals.outputsOfRun(ada, run.id)).map(({ id }) => id)).toEqual(['output'])
    await approvals.open({ ...request, ...call, id: 'question', kind: 'question' })
    await approvals.settle(ada, 'question', { status: 'answered', answer: '1', reason: 'm2', at: at(1) })
    expect(await approvals.answeredBy(run, 'm2')).toMatchObject({ id: 'question', runId: run.id })
    expect(await approvals.answeredBy({ ...run, ownerId: bob }, 'm2')).toBeUndefined()
    expect(await approvals.answeredBy(run, 'm3')).toBeUndefined()
    await approvals.settle(ada, 'output', { status: 'answered', answer: '{"city":"Oslo"}', at: at(1) })
    expect(await approvals.find(ada, 'output')).toMatchObject({
      status: 'answered',
      answer: '{"city":"Oslo"}',
    })
  })

  test('of many requests those are found that do not wait any more, with the reason', async () => {
    await using fixture = await waiting()
    const { approvals } = fixture.store
    await approvals.open({ ...request, id: 'refused' })
    await approvals.settle(ada, 'refused', denied)
    const named = ['approval', 'refused', 'unknown'].map(id => ({ ownerId: ada, id }))
    expect(await approvals.settled(named)).toMatchObject([{ id: 'refused', status: 'denied', reason: 'No.' }])
    expect(await approvals.settled([{ ownerId: bob, id: 'refused' }])).toEqual([])
    expect(await approvals.settled([])).toEqual([])
  })

  test('a request that nobody made cannot be answered', async () => {
    await using fixture = await waiting()
    expect(await fixture.store.approvals.settle(ada, 'other', approved)).toBe(false)
    expect((await fixture.store.approvals.find(ada, 'other'))?.status).toBeUndefined()
  })

  test('the end of a run makes void what still waits in it, and nothing else', async () => {
    await using fixture = await waiting()
    const { approvals, runs } = fixture.store
    await approvals.open({ ...request, id: 'answered' })
    await approvals.settle(ada, 'answered', approved)
    await approvals.open({ ...request, id: 'elsewhere', runId: testRun('other').id })
    await runs.end(run, endOf(run, [], { seq: 1 }))
    expect(await approvals.settle(ada, 'approval', approved)).toBe(false)
    expect((await approvals.find(ada, 'approval'))?.status).toBe('void')
    expect((await approvals.find(ada, 'answered'))?.status).toBe('approved')
    expect((await approvals.find(ada, 'elsewhere'))?.status).toBe('pending')
  })

  test('a request is there after a restart', async () => {
    await using context = await temporaryStore()
    const before = context.store
    await before.runs.claim(run, startOf(run))
    await before.approvals.open(request)
    await before.close()
    const after = await context.reopen()
    expect((await after.approvals.find(ada, 'approval'))?.status).toBe('pending')
    await after.close()
  })

  const run = testRun('run')
  const request: ApprovalRecord = {
    id: 'approval',
    ownerId: ada,
    chatId: run.chatId,
    runId: run.id,
    messageId: run.answerId,
    toolCallId: 'call',
    toolName: 'remove',
    inputHash: 'hash',
    createdAt: at(0),
  }

  /** A store in which one request of Ada's waits. */
  async function waiting() {
    const fixture = await temporaryStore()
    await fixture.store.runs.claim(run, startOf(run))
    await fixture.store.approvals.open(request)
    return fixture
  }
})

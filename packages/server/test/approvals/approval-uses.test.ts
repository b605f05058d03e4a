import { isToolPart } from '@throughline/protocol'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, loadChat, problemOf, stop } from '@throughline/testing/http/chat-requests'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { waitingCall } from '@throughline/testing/server/waiting-call'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

describe('an approval', () => {
  test('is used once, also when two come at the same time', async () => {
    await using fixture = await waitingCall()
    const answers = await Promise.all(
      [true, false, true].map(approved => decide(fixture.url, fixture.approvalId, { approved })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    await fixture.stream.rest()
    await refused(fixture.url, fixture.approvalId)
    const { parts } = await loadAnswer(fixture.url)
    const isApproved = answers[0]?.status === 200 || answers[2]?.status === 200
    expect(parts.find(isToolPart)?.state).toBe(isApproved ? 'output-available' : 'output-denied')
  })

  test('of another owner does not exist', async () => {
    const tokens = new Map([
      ['a-token', ownerIdOf('ada')],
      ['b-token', ownerIdOf('bob')],
    ])
    const ada = { authorization: 'Bearer a-token' }
    await using fixture = await waitingCall({ tokens, headers: ada })
    const bob = { authorization: 'Bearer b-token' }
    const foreign = await decide(fixture.url, fixture.approvalId, { approved: true }, bob)
    const unknown = await decide(fixture.url, 'approval_none', { approved: true }, bob)
    const problem = await problemOf(foreign)
    expect(problem).toMatchObject({ status: 404, code: 'approval-not-found' })
    expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'approval-not-found' })
    expect(fixture.removed).toEqual([])
    expect((await decide(fixture.url, fixture.approvalId, { approved: true }, ada)).status).toBe(200)
    await fixture.stream.rest()
    expect(fixture.removed).toEqual(['all'])
  })

  test('that comes after a stop is refused, and the call is closed', async () => {
    await using fixture = await waitingCall()
    expect(await (await stop(fixture.url)).json()).toEqual({ result: 'stopped' })
    await refused(fixture.url, fixture.approvalId)
    expect(fixture.removed).toEqual([])
    expect((await loadAnswer(fixture.url)).parts).toMatchObject([
      {},
      {
        state: 'output-denied',
        approval: { approved: false, reason: 'Interrupted: Stopped by the user.' },
      },
      { data: { status: 'error' } },
    ])
  })

  test('that never came does not stand in the way of the next question', async () => {
    await using fixture = await waitingCall()
    await stop(fixture.url)
    await using next = new SseBytes(await ask(fixture.url, { messageId: 'again', form: '?approvals=wait' }))
    await next.until('"type":"tool-approval-request"')
    await decide(fixture.url, approvalIn(next.bytes), { approved: true })
    await next.rest()
    expect(await loadAnswer(fixture.url)).toMatchObject({ metadata: { status: 'finished' } })
    expect(fixture.removed).toEqual(['all'])
  })

  test('that comes after a restart is refused: the call was interrupted, and is not run again', async () => {
    await using fixture = await waitingCall()
    // Another process takes the store over, as after a crash: the first one never ended its run.
    const { store } = fixture.server
    await using restarted = await startServer({
      store,
      agents: [],
      logger: pino({ level: 'silent' }),
      port: 0,
    })
    const answer = await loadAnswer(restarted.url)
    expect(answer.metadata).toMatchObject({ status: 'interrupted', statusText: 'The server was restarted.' })
    expect(answer.parts).toMatchObject([
      {},
      {
        state: 'output-denied',
        approval: { approved: false, reason: 'Interrupted: The server was restarted.' },
      },
      { type: 'data-step', data: { status: 'error' } },
    ])
    expect(JSON.parse(JSON.stringify(replay(await readLog(restarted.url))))).toEqual(
      (await loadChat(restarted.url)).messages,
    )
    await refused(restarted.url, fixture.approvalId)
    await refused(fixture.url, fixture.approvalId)
    expect(fixture.removed).toEqual([])
  })
})

async function refused(url: string, approvalId: string): Promise<void> {
  const problem = await problemOf(await decide(url, approvalId, { approved: true }))
  expect(problem).toMatchObject({ status: 409, code: 'approval-not-waiting' })
}

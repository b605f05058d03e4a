import type { AgentEvent } from '@throughline/agents'
import { type QueryEvent, textOf } from '@throughline/protocol'
import { heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { eventsIn, ofType, query, queryEvents, timeless } from '@throughline/testing/http/query-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

const fields = { session_id: 'chat', message_id: 'question' }
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const firstStep: readonly AgentEvent[] = [
  { type: 'step-start' },
  say('First. '),
  { type: 'step-end', usage, model: 'test:model' },
  { type: 'step-start' },
  say('Second'),
]
const open: readonly AgentEvent[] = [...firstStep, { type: 'tool-call', ...weatherCall() }]

/** What every end must look like: an event that says how it ended, then the usage, and each once. */
function endOf(events: readonly QueryEvent[]): readonly unknown[] {
  const end = timeless(events.slice(-2))
  const ends = events.filter(({ type }) => type === 'final' || type === 'error' || type === 'usage')
  expect(timeless(ends)).toEqual(end)
  return end
}

const usageOf = (tokens: number) => ({ type: 'usage', usage: { total_tokens: tokens } })

describe('an answer that', () => {
  test('was stopped is final with what was shown, and says so', async () => {
    const { agent } = heldAgent('assistant', { before: open })
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await query(server.url, { fields }))
    await stream.until('"type":"step_start"')
    await stop(server.url)
    const events = eventsIn((await stream.rest()).toString())
    expect(endOf(events)).toMatchObject([
      { type: 'final', content: 'First. \n\nSecond', status: 'stopped' },
      usageOf(15),
    ])
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool_result',
        is_error: true,
        result: 'Interrupted: Stopped by the user.',
      }),
    )
    expect(events).toContainEqual(expect.objectContaining({ type: 'step_complete', status: 'error' }))
    expect(await pieceOf(server.url)).toMatchObject({ status: 'stopped', content: 'First. \n\nSecond' })
  })

  test('reached a limit is final with what was shown, and says so', async () => {
    const agent = scriptedAgent('assistant', [...firstStep, { type: 'finish', finishReason: 'length' }])
    await using server = await startTestServer({ agents: [agent] })
    const events = await queryEvents(await query(server.url, { fields }))
    expect(endOf(events)).toMatchObject([
      { type: 'final', content: 'First. \n\nSecond', status: 'limit' },
      usageOf(15),
    ])
    expect(await pieceOf(server.url)).toMatchObject({ status: 'limit', content: 'First. \n\nSecond' })
  })

  test('failed has an error in words, what it used, and nothing final', async () => {
    const agent = scriptedAgent('assistant', [...open, { type: 'error', error: new Error('secret') }])
    await using server = await startTestServer({ agents: [agent] })
    const response = await query(server.url, { fields })
    expect(response.status).toBe(200)
    const events = await queryEvents(response)
    const { metadata } = await loadAnswer(server.url)
    expect(endOf(events)).toMatchObject([{ type: 'error', error: metadata?.statusText }, usageOf(15)])
    expect(JSON.stringify(events)).not.toContain('secret')
    expect(await pieceOf(server.url)).toMatchObject({
      status: 'failed',
      error: metadata?.statusText,
      content: 'First. \n\nSecond',
      usage: { total_tokens: 15 },
    })
  })

  test('was interrupted because the server closed has an error, and so does whoever waits for all of it', async () => {
    const { agent } = heldAgent('assistant', { before: open })
    const bothFollow = Promise.withResolvers<void>()
    let followers = 0
    await using server = await startTestServer({
      agents: [agent],
      wrapStore: store => ({
        ...store,
        log: {
          ...store.log,
          onAppend(name, ring) {
            followers += 1
            if (followers === 2) bothFollow.resolve()
            return store.log.onAppend(name, ring)
          },
        },
      }),
    })
    await using stream = new SseBytes(await query(server.url, { fields }))
    await stream.until('"type":"step_start"')
    const waiting = query(server.url, { path: 'query', fields })
    await bothFollow.promise
    await server.close()
    const error = 'The server was shut down.'
    const events = eventsIn((await stream.rest()).toString())
    expect(endOf(events)).toMatchObject([{ type: 'error', error }, usageOf(15)])
    expect(await (await waiting).json()).toMatchObject({ status: 'interrupted', error })
  })

  test('was cut off by a crash has an error for who asks again, and what its finished steps used', async () => {
    const { agent } = heldAgent('assistant', { before: open })
    await using server = await startTestServer({ agents: [agent] })
    await using stream = new SseBytes(await query(server.url, { fields }))
    const shown = (await stream.until('"type":"step_start"')).toString()
    // Another process takes the store over, as after a crash: the first one never ended its run.
    const { store } = server
    const logger = pino({ level: 'silent' })
    await using restarted = await startServer({ store, agents: [agent], logger, port: 0 })
    const again = await (await query(restarted.url, { fields })).text()
    expect(again.startsWith(shown)).toBe(true)
    const events = eventsIn(again)
    const error = 'The server was restarted.'
    expect(endOf(events)).toMatchObject([{ type: 'error', error }, usageOf(15)])
    const [result] = ofType(events, 'tool_result')
    expect(result).toMatchObject({ is_error: true, result: 'Interrupted: The server was restarted.' })
    const [started] = ofType(events, 'step_start')
    const [completed] = ofType(events, 'step_complete')
    const tookMs = Date.parse(completed?.timestamp ?? '') - Date.parse(started?.timestamp ?? '')
    expect(completed).toMatchObject({ step_id: started?.step_id, status: 'error', duration_ms: tookMs })
    expect(textOf(await loadAnswer(restarted.url))).toBe('First. \n\nSecond')
  })

  test('said nothing is final all the same', async () => {
    const agent = scriptedAgent('assistant', [{ type: 'finish', finishReason: 'stop' }])
    await using server = await startTestServer({ agents: [agent] })
    const events = await queryEvents(await query(server.url))
    expect(timeless(events)).toMatchObject([{ type: 'final', content: '' }, usageOf(0)])
  })
})

/** The same answer again, in one piece. */
async function pieceOf(url: string): Promise<unknown> {
  return (await query(url, { path: 'query', fields })).json()
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { ask, submit } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { scrape } from '@throughline/testing/server/scrape'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/metrics/create-metrics.ts'

const metricsAt = { host: '127.0.0.1', port: 0 }

test('the metrics of a server agree with its log, during a run and after it', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')], after: [say(' I end.')] })
  await using server = await startTestServer({ agents: [agent], metricsAt })
  await using run = new SseBytes(await ask(server.url))
  await run.until('I begin.')
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await log.until('I begin.')
  const waiting = submit(server.url, { messageId: 'next', fields: { onBusy: 'queue' } })
  await expect
    .poll(async () => (await scrape(server.metricsUrl)).get('throughline_submissions_waiting'))
    .toBe(1)

  const during = await scrape(server.metricsUrl)
  expect(during.get('throughline_runs_started_total')).toBe(1)
  expect(during.get('throughline_runs_active')).toBe(1)
  expect(during.get('throughline_runs_ended_total{status="finished"}')).toBe(0)
  expect(during.get('throughline_viewers')).toBe(2)
  expect(during.get('throughline_entries_appended_total')).toBe((await readLog(server.url)).length)

  letGo()
  await run.rest()
  expect((await waiting).status).toBe(202)
  await expect.poll(async () => (await scrape(server.metricsUrl)).get('throughline_runs_active')).toBe(0)
  await expect.poll(async () => (await scrape(server.metricsUrl)).get('throughline_viewers')).toBe(1)
  const after = await scrape(server.metricsUrl)
  expect(after.get('throughline_runs_started_total')).toBe(2)
  expect(after.get('throughline_runs_ended_total{status="finished"}')).toBe(2)
  expect(after.get('throughline_submissions_waiting')).toBe(0)
  expect(after.get('throughline_appends_waiting')).toBe(0)
  expect(after.get('throughline_appends_failed_total')).toBe(0)
  expect(after.get('throughline_entries_appended_total')).toBe((await readLog(server.url)).length)
  for (const name of ['commit', 'bell', 'lag']) {
    expect(after.get(`throughline_${name}_seconds_count`), name).toBeGreaterThan(0)
    expect(after.get(`throughline_${name}_seconds_bucket{le="+Inf"}`), name).toBe(
      after.get(`throughline_${name}_seconds_count`),
    )
  }
})

test('there are metrics of the process, and nothing of any chat, user or agent', async () => {
  const agents = [scriptedAgent('harbour', () => [say('The tide is low.'), finish])]
  await using server = await startTestServer({ agents, metricsAt })
  await (await ask(server.url, { chatId: 'secret-chat', text: 'Is the tide high?' })).text()
  const text = await (await fetch(server.metricsUrl ?? '')).text()
  expect(text).toMatch(/^process_cpu_seconds_total \S+$/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m)
  for (const word of ['secret-chat', 'local', 'harbour', 'tide']) expect(text).not.toContain(word)
})

test('each way in which a run ends is counted by its own status', async () => {
  const agents = [
    scriptedAgent('assistant', async function* () {
      yield say('I try.')
      throw new Error('The model is gone.')
    }),
  ]
  await using server = await startTestServer({ agents, metricsAt })
  await (await ask(server.url)).text()
  await expect.poll(async () => (await scrape(server.metricsUrl)).get('throughline_runs_active')).toBe(0)
  const values = await scrape(server.metricsUrl)
  const ends = [...values].filter(([name]) => name.startsWith('throughline_runs_ended_total'))
  expect(ends.filter(([, count]) => count > 0)).toEqual([
    ['throughline_runs_ended_total{status="failed"}', 1],
  ])
  expect(ends).toHaveLength(6)
})

test('messages to channels are counted when the channel has taken them', async () => {
  await using receiver = await startWebhookReceiver()
  const agents = [scriptedAgent('assistant', () => [say('Hello.'), finish])]
  await using server = await startTestServer({ agents, channels: hookChannels(receiver.url), metricsAt })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  const value = async (name: string) => (await scrape(server.metricsUrl)).get(name)
  await expect.poll(() => value('throughline_channel_items_total{status="sent"}')).toBe(1)
  await expect.poll(() => value('throughline_channel_deliveries_active')).toBe(0)
  expect(await value('throughline_channel_items_total{status="failed"}')).toBe(0)
})

test('takeovers, and runs that were ended because they killed their process, are counted by run', async () => {
  const metrics = await createMetrics()
  metrics.tookOver(3)
  metrics.tookOver(1)
  metrics.endedDeadly()
  const text = await metrics.text()
  expect(text).toContain('\nthroughline_takeovers_total 4\n')
  expect(text).toContain('\nthroughline_deadly_runs_total 1\n')
})

test('the metrics have a port of their own, and are nowhere else', async () => {
  await using server = await startTestServer({ metricsAt })
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  const metricsUrl = new URL(server.metricsUrl ?? '')
  expect(metricsUrl.port).not.toBe(new URL(server.url).port)
  const response = await fetch(metricsUrl)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect((await fetch(new URL('/health', metricsUrl))).status).toBe(404)
  expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404)
  await server.close()
  await expect(fetch(metricsUrl)).rejects.toThrow()
})

test('without a setting there are no metrics', async () => {
  await using server = await startTestServer()
  expect(server.metricsUrl).toBeUndefined()
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
})

test('a port that is taken is named, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await expect(startTestServer({ metricsAt: { host: '127.0.0.1', port } })).rejects.toMatchObject({
    name: 'StartError',
    code: 'metrics',
    message: expect.stringContaining(`THROUGHLINE_METRICS: metrics cannot be served at 127.0.0.1:${port}`),
  })
  other.close()
})

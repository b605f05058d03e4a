import { join } from 'node:path'
import { ask } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { scrape } from '@throughline/testing/server/scrape'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { startProgram } from '../start-program.ts'

test('throughline serve says where its metrics are, and they agree with its log', async () => {
  await using folder = await temporaryFolder()
  const env = { PORT: '0', THROUGHLINE_METRICS: '0', THROUGHLINE_DATA: join(folder.path, 'data') }
  const server = startProgram(['serve'], { ...env, THROUGHLINE_LOG: 'silent' }, { cwd: folder.path })
  const said = await server.until('Throughline listens at')
  const [, metricsUrl = ''] = /^Metrics for Prometheus are at (http:\S+)\.$/m.exec(said) ?? []
  const [, url = ''] = /listens at (http:\S+) with/.exec(said) ?? []
  await (await ask(url)).text()
  await expect.poll(async () => (await scrape(metricsUrl)).get('throughline_runs_active')).toBe(0)
  const metrics = await scrape(metricsUrl)
  expect(metrics.get('throughline_runs_ended_total{status="finished"}')).toBe(1)
  expect(metrics.get('throughline_entries_appended_total')).toBe((await readLog(url)).length)
  server.signal('SIGTERM')
  expect((await server.ended).code).toBe(0)
})

test('a port of the metrics that is taken ends the command with one sentence', async () => {
  await using folder = await temporaryFolder()
  const env = (data: string) => ({
    PORT: '0',
    THROUGHLINE_DATA: join(folder.path, data),
    THROUGHLINE_LOG: 'silent',
  })
  const first = startProgram(['serve'], { ...env('a'), THROUGHLINE_METRICS: '0' }, { cwd: folder.path })
  const said = await first.until('Throughline listens at')
  const [, port = ''] = /:(\d+)\/metrics/.exec(said) ?? []
  const second = startProgram(['serve'], { ...env('b'), THROUGHLINE_METRICS: port }, { cwd: folder.path })
  const { code, errors } = await second.ended
  expect({ code, errors }).toEqual({
    code: 1,
    errors: expect.stringMatching(/^THROUGHLINE_METRICS: metrics cannot be served at 127\.0\.0\.1:\d+ .*\n$/),
  })
  first.signal('SIGTERM')
  await first.ended
})

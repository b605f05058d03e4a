import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

test('the server keeps idle connections open for longer than proxies do', async () => {
  await using server = await startTestServer({})
  const response = await fetch(`${server.url}/health`)
  await response.text()
  const [, seconds] = /timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '') ?? []
  // nginx keeps them for 60 seconds, and Caddy for 120.
  expect(Number(seconds)).toBeGreaterThan(120)
})

import { request } from 'node:http'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, expect, test } from 'vitest'

const server = await startTestServer({ metricsAt: { host: '127.0.0.1', port: 0 }, hosts: ['Node1'] })
afterAll(() => server[Symbol.asyncDispose]())

test.each([
  ['127.0.0.1:9464', 200],
  ['10.0.0.11:9464', 200],
  ['[::1]:9464', 200],
  ['LOCALHOST', 200],
  ['node1:9464', 200],
  ['evil.example', 421],
  ['evil.example:9464', 421],
  ['127.0.0.1.evil.example', 421],
  ['localhost.evil.example:9464', 421],
])('metrics asked for at the host %s get %s', async (host, status) => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request(server.metricsUrl ?? '', { headers: { host } }, response => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.on('error', reject).end()
  expect(await promise).toBe(status)
})

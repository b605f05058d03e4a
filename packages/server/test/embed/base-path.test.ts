import { once } from 'node:events'
import { connect } from 'node:net'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { basePathFrom, isBelow, remainingBase, withoutBase } from '../../src/http/guards/base-path.ts'

describe('a base path', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['/ai', '/ai'],
    ['/ai/', '/ai'],
    ['/my-app/v1.2/ai', '/my-app/v1.2/ai'],
  ])('%j is used as %j', (given, used) => {
    expect(basePathFrom(given)).toBe(used)
  })

  test.each(['ai', '/ai/..', '/./ai', '/a b', '/ai?x', '//ai', '/ai/:id', '/ä', 'https://host/ai'])(
    '%j is refused with a reason',
    given => {
      expect(() => basePathFrom(given)).toThrow(/must be a path such as "\/ai"/)
    },
  )
})

test.each([
  ['/ai', true],
  ['/ai/', true],
  ['/ai?after=1', true],
  ['/ai/api/chats?x=/', true],
  ['http://localhost:4000/ai/health', true],
  ['/', false],
  ['/ai/../api/status', false],
  ['/ai/%2E%2e/api/status', false],
  ['/ai/..\\api/status', false],
  ['/ai/x/../api/status', true],
  ['/ai/v1.2', true],
  ['/air', false],
  ['/other/ai', false],
  ['/?next=/ai/', false],
  ['http://localhost:4000/air', false],
])('%s is below /ai: %s', (url, expected) => {
  expect(isBelow('/ai', url)).toBe(expected)
  expect(isBelow('', url)).toBe(true)
})

test.each([
  ['/ai', '/ai', '/'],
  ['/ai', '/ai/', '/'],
  ['/ai', '/ai/health', '/health'],
  ['', '/health', '/health'],
  ['/ai', '/api/status', ''],
  ['/ai', '/air', ''],
])('without %j, %s is %s', (basePath, path, rest) => {
  expect(withoutBase(basePath, path)).toBe(rest)
})

test.each([
  ['nothing was removed', { url: '/ai/health' }, '/ai'],
  ['nothing was removed, and the framework says so', { url: '/ai/health', originalUrl: '/ai/health' }, '/ai'],
  ['all of it was removed', { url: '/health', originalUrl: '/ai/health' }, ''],
  ['the same path comes twice', { url: '/ai/health', originalUrl: '/ai/ai/health' }, ''],
  ['the request is for the mount path', { url: '/', originalUrl: '/ai' }, ''],
  ['the mount path has a query', { url: '/?x=/', originalUrl: '/ai?x=/' }, ''],
])('the base path that remains in a URL, when %s', (_, request, remaining) => {
  expect(remainingBase('/ai', request)).toBe(remaining)
})

test.each([
  ['/ai/api/status', 200],
  ['/ai/x/../api/status', 200],
  ['/ai/../api/status', 404],
  ['/ai/%2e%2e/api/status', 404],
  ['/ai/..\\api/status', 404],
  ['/ai/./../api/status', 404],
  ['http://localhost/ai/../api/status', 404],
  ['/api/status', 404],
])('a raw request for %s gets %s', async (path, status) => {
  await using server = await startTestServer({ basePath: '/ai' })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  socket.destroy()
})

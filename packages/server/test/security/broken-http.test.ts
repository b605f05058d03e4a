import { problemIn, RawConnection } from '@throughline/testing/http/raw-http'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, expect, test } from 'vitest'

const server = await startTestServer()
const { url } = server
afterAll(() => server[Symbol.asyncDispose]())

test.each([
  ['no host', 'GET /nowhere HTTP/1.1\r\n\r\n'],
  ['two hosts', 'GET /nowhere HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n'],
  ['an empty host', 'GET /nowhere HTTP/1.1\r\nhost:\r\n\r\n'],
  ['a host that is no host', 'GET /nowhere HTTP/1.1\r\nhost: local host/\r\n\r\n'],
  ['a backslash in the path', 'GET /a\\b HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['an address as the path', 'GET ftp://localhost/ HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['HTTP/1.0 without a host', 'GET /nowhere HTTP/1.0\r\n\r\n'],
  [
    'two lengths',
    'POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
  ],
  [
    'a length and chunks',
    'POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
  ],
  ['too many headers', `GET /nowhere HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(5_000)}\r\n`],
  ['an expectation', 'GET /nowhere HTTP/1.1\r\nhost: localhost\r\nexpect: the-unexpected\r\n\r\n'],
  [
    'an upgrade',
    'GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ],
])('a request with %s is refused with a reason', async (_, request) => {
  await using connection = new RawConnection(url)
  connection.send(request)
  expect(problemIn(await connection.response(), request).status).toBeGreaterThanOrEqual(400)
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

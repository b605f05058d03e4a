import { expect, test } from 'vitest'
import { readResponse } from '../../src/power-loss/responses.ts'

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n'
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nid: 1\r\n2\r\n\n\n\r\n0\r\n\r\n`
const measured = 'HTTP/1.1 202 Accepted\r\nContent-Length: 4\r\n\r\nbody'

test('a response is read as it was sent', () => {
  expect(readResponse(chunked)).toEqual({ status: 200, body: 'id: 1\n\n', isWhole: true })
  expect(readResponse(measured)).toEqual({ status: 202, body: 'body', isWhole: true })
  expect(readResponse('HTTP/1.1 204 No Content\r\n\r\n')).toEqual({ status: 204, body: '', isWhole: true })
})

test('of a response that was cut off anywhere, the beginning is read, and it is not whole', () => {
  for (const [whole, body] of [
    [chunked, 'id: 1\n\n'],
    [measured, 'body'],
  ] as const)
    for (let length = 0; length < whole.length; length += 1) {
      const read = readResponse(whole.slice(0, length))
      if (length < whole.indexOf('\r\n\r\n') + 4) expect(read).toBeUndefined()
      else expect(body.startsWith(read?.body ?? 'nothing')).toBe(true)
    }
  expect(readResponse(measured.slice(0, -1))?.isWhole).toBe(false)
  expect(readResponse(chunked.slice(0, -10))?.isWhole).toBe(false)
})

import { expect, test } from 'vitest'
import { ChunkedBody } from '../../src/load/viewers/chunked-body.ts'

test('a body is the same wherever its bytes are cut, also inside a length', () => {
  const bytes = Buffer.from('5\r\nhello\r\n1\r\n \r\na\r\n0123456789\r\n0\r\n\r\n')
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const body = new ChunkedBody()
    const read = [body.read(bytes.subarray(0, cut)), body.read(bytes.subarray(cut))]
    expect(Buffer.concat(read).toString()).toBe('hello 0123456789')
  }
})

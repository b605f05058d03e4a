import { expect, test } from 'vitest'
import { inPieces } from '../../src/inspector/entries/log-reader.ts'

test('a long body comes in small pieces, unchanged, and with the status and the headers that it had', async () => {
  const text = 'A long body. '.repeat(20_000)
  const response = inPieces(new Response(text, { status: 410, headers: { 'content-type': 'text/plain' } }))
  expect([response.status, response.headers.get('content-type')]).toEqual([410, 'text/plain'])
  const pieces: Uint8Array[] = []
  for await (const piece of response.body ?? []) pieces.push(piece)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(32 * 1024)
  expect(Buffer.concat(pieces).toString()).toBe(text)
})

test('a response without a body stays as it is', () => {
  const response = new Response(null, { status: 204 })
  expect(inPieces(response)).toBe(response)
})

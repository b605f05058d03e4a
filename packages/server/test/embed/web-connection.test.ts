import { expect, test } from 'vitest'
import { webConnection } from '../../src/http/listen/gate.ts'

test('a response that is no stream is sent when it is made', () => {
  const { connection, events } = watched()
  connection.responded()
  expect(events).toEqual(['sent', 'closed'])
})

test('a stream is sent when its last byte was taken', async () => {
  const { connection, events } = watched()
  const { sink, response } = connection.openStream({ 'content-type': 'text/plain' })
  connection.responded()
  sink.write(Buffer.from('all'))
  sink.end()
  expect(events).toEqual([])
  expect(await response.text()).toBe('all')
  expect(events).toEqual(['sent', 'closed'])
})

test('what a client leaves is not sent', async () => {
  const left = new AbortController()
  const { connection, events } = watched(left.signal)
  const { response } = connection.openStream({})
  connection.responded()
  left.abort()
  expect(events).toEqual(['closed'])
  await expect(response.text()).rejects.toThrow('The stream was cut off.')
  expect(events).toEqual(['closed'])
})

test('the body can be read in pieces', async () => {
  const request = new Request('http://localhost/', { method: 'POST', body: 'all' })
  const pieces = await Array.fromAsync(webConnection(request, '').body())
  expect(Buffer.concat(pieces).toString()).toBe('all')
  const empty = webConnection(new Request('http://localhost/'), '')
  expect(await Array.fromAsync(empty.body())).toEqual([])
})

function watched(signal?: AbortSignal) {
  const events: string[] = []
  const request = new Request('http://localhost/', signal === undefined ? {} : { signal })
  const connection = webConnection(request, '')
  connection.onSent(() => events.push('sent'))
  connection.closed.addEventListener('abort', () => events.push('closed'))
  return { connection, events }
}

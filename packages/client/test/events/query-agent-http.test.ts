import { once } from 'node:events'
import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { describe, expect, test } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { startEventServer } from './event-server.ts'
import { bytesOf, recordingCallbacks } from './scripted-queries.ts'

const text = '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve'
const beginning = encodeQuery(weatherQuery.slice(0, 5)).replace(': done\n\n', '')

describe('over a real connection', () => {
  test('an answer that comes byte by byte is the same answer', async () => {
    await using server = await startEventServer(async response => {
      response.socket?.setNoDelay(true)
      for (const byte of bytesOf(weatherQuery))
        await new Promise(resolve => response.write(Uint8Array.of(byte), resolve))
    })
    const { calls, callbacks } = recordingCallbacks()
    expect(await queryAgent('天气？', 'session-1', callbacks, { url: server.url })).toBe(text)
    expect(calls).toHaveLength(weatherQuery.length)
    expect(server.requests).toMatchObject([
      { url: '/agent/query-stream-delta', body: { message: '天气？', session_id: 'session-1' } },
    ])
  })

  test.each(['in mid-answer', 'before its first byte'])(
    'a connection that breaks %s is told as that',
    async moment => {
      await using server = await startEventServer(async response => {
        const sent = moment === 'in mid-answer' ? beginning : ''
        await new Promise(resolve => response.write(sent, resolve))
        response.destroy()
      })
      await expect(queryAgent('Hi', null, {}, { url: server.url })).rejects.toMatchObject({
        name: 'ChatError',
        code: 'broken-stream',
      })
    },
  )

  test('an abort closes it, so that the server knows', async () => {
    const leaving = new AbortController()
    const closed = Promise.withResolvers<void>()
    await using server = await startEventServer(async response => {
      response.write(beginning)
      await once(response, 'close')
      closed.resolve()
    })
    const onToolCall = () => leaving.abort()
    const answered = queryAgent('Hi', null, { onToolCall }, { url: server.url, signal: leaving.signal })
    await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
    await closed.promise
  })

  test('nobody there is told as that', async () => {
    const server = await startEventServer(async () => undefined)
    await server[Symbol.asyncDispose]()
    const nobody = { url: server.url, backoff: { firstMs: 1 } }
    await expect(queryAgent('Hi', null, {}, nobody)).rejects.toMatchObject({ code: 'network' })
  })
})

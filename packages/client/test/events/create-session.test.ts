import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { createSession } from '../../src/events/session-requests.ts'
import { scriptedFetch } from './scripted-queries.ts'

test('a session is made under an id of its own, and the server says which it is', async () => {
  const { fetch, requests } = scriptedFetch([Response.json({ session_id: 'session-1' }, { status: 201 })])
  const headers = () => ({ authorization: 'Bearer token' })

  expect(await createSession({ url: 'https://agents.example', headers, fetch })).toBe('session-1')
  expect(requests).toMatchObject([
    {
      url: 'https://agents.example/sessions',
      body: { session_id: expect.stringMatching(/^chat_[0-9a-f]{32}$/) },
    },
  ])
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer token')
})

test.each<[string, Response, object]>([
  [
    'a problem',
    Response.json({ code: 'token-required', detail: 'Send a token.' }, { status: 401 }),
    { code: 'token-required', message: 'Send a token.', status: 401 },
  ],
  ['no id', Response.json({}), { code: 'bad-data' }],
  ['an id that is none', Response.json({ session_id: 7 }), { code: 'bad-data' }],
  ['nothing', Response.json(null), { code: 'bad-data' }],
  ['a page', new Response('<h1>Hello</h1>'), { code: 'bad-data' }],
])('an answer with %s is an error', async (_, answer, error) => {
  await expect(createSession(scriptedFetch([answer]))).rejects.toMatchObject({ name: 'ChatError', ...error })
})

test('an abort is an AbortError', async () => {
  const leaving = new AbortController()
  const made = createSession({ ...scriptedFetch([]), signal: leaving.signal })
  leaving.abort()
  await expect(made).rejects.toMatchObject({ name: 'AbortError' })
})

test('a server that is silent for too long has not answered', async () => {
  const silent = { ...scriptedFetch([]), idleMs: 1, maxRetries: 0 }
  await expect(createSession(silent)).rejects.toMatchObject({ code: 'network' })
})

test('a request that was cut is sent again with the same id, so that there is one session', async () => {
  const { fetch, requests } = scriptedFetch([
    new Response('', { status: 503 }),
    Response.json({ session_id: 'session-1' }, { status: 201 }),
  ])
  expect(await createSession({ fetch, backoff: { firstMs: 0 } })).toBe('session-1')
  expect(requests).toHaveLength(2)
  expect(requests[0]?.body).toEqual(requests[1]?.body)
})

test('the real server makes one session, however often it is asked for the same', async () => {
  await using server = await startTestServer()
  const ids: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    await globalThis.fetch(input, init)
    return globalThis.fetch(input, init)
  }
  ids.push(await createSession({ url: server.url, fetch }))
  const { sessions } = await (await globalThis.fetch(`${server.url}/sessions`)).json()
  expect(sessions).toMatchObject(ids.map(session_id => ({ session_id })))
})

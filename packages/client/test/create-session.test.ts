import { expect, test } from 'vitest'
import { createSession } from '../src/create-session.ts'
import { scriptedFetch } from './scripted-queries.ts'

test('a session is made by the server, and its id is the answer', async () => {
  const { fetch, requests } = scriptedFetch([Response.json({ session_id: 'session-1' }, { status: 201 })])
  const headers = () => ({ authorization: 'Bearer token' })

  expect(await createSession({ url: 'https://agents.example', headers, fetch })).toBe('session-1')
  expect(requests).toMatchObject([{ url: 'https://agents.example/sessions', body: {} }])
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer token')
})

test.each<[string, Response, object]>([
  [
    'a problem',
    Response.json({ code: 'token-required', detail: 'Send a token.' }, { status: 401 }),
    { code: 'token-required', message: 'Send a token.', status: 401 },
  ],
  ['no id', Response.json({}), { code: 'bad-answer' }],
  ['an id that is none', Response.json({ session_id: 7 }), { code: 'bad-answer' }],
  ['nothing', Response.json(null), { code: 'bad-answer' }],
  ['a page', new Response('<h1>Hello</h1>'), { code: 'bad-answer' }],
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
  await expect(createSession({ ...scriptedFetch([]), idleMs: 1 })).rejects.toMatchObject({ code: 'network' })
})

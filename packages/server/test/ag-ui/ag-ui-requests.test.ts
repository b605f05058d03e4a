import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const question = { id: 'question', role: 'user', content: 'How is the weather?' }

describe('a request for AG-UI events', () => {
  test.each([
    ['text/event-stream'],
    ['application/vnd.ag-ui.event+proto, text/event-stream;q=0.5'],
    ['*/*'],
    ['text/*; q=0.1'],
  ])('that accepts %s gets server-sent events', async accept => {
    await using server = await startTestServer()
    const response = await request(server, {}, { accept })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = valuesOf(Buffer.from(await response.arrayBuffer()))
    expect(events.at(0)).toMatchObject({ type: 'RUN_STARTED', threadId: 'chat', runId: 'run' })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', threadId: 'chat', runId: 'run' })
  })

  test.each([
    ['application/vnd.ag-ui.event+proto'],
    ['application/json'],
    ['application/json, text/event-stream;q=0'],
  ])('that accepts %s alone is refused', async accept => {
    await using server = await startTestServer()
    const problem = await problemOf(await request(server, {}, { accept }))
    expect(problem).toMatchObject({ status: 406, code: 'event-stream-only' })
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
  })

  test.each<[string, object, string]>([
    ['without a thread', { threadId: undefined }, 'invalid-body'],
    ['with a thread that is no id', { threadId: 'not an id' }, 'invalid-id'],
    ['without a run', { runId: undefined }, 'invalid-body'],
    ['without messages', { messages: [] }, 'invalid-body'],
    ['without a question', { messages: [{ ...question, role: 'assistant' }] }, 'no-user-message'],
    ['with an empty question', { messages: [{ ...question, content: ' ' }] }, 'empty-message'],
    [
      'with a picture that is elsewhere',
      { messages: [{ ...question, content: [{ type: 'image', source: { type: 'url', value: 'x' } }] }] },
      'foreign-file',
    ],
    [
      'that resumes without a decision',
      { resume: [{ interruptId: 'x', status: 'resolved' }] },
      'invalid-body',
    ],
    ['for an unknown agent', { forwardedProps: { throughline: { agent: 'nobody' } } }, 'unknown-agent'],
    ['with a field of ours gone wrong', { forwardedProps: { throughline: { onBusy: 1 } } }, 'invalid-body'],
  ])('%s is refused, and no run is begun', async (_, fields, code) => {
    await using server = await startTestServer()
    expect(await problemOf(await request(server, fields))).toMatchObject({ status: 400, code })
    expect((await fetch(`${server.url}/api/chats/chat`)).status).toBe(404)
  })

  test('may have text in parts, a name, and properties of the application’s own', async () => {
    await using server = await startTestServer()
    const content = [
      { type: 'text', text: 'How is', id: 'part' },
      { type: 'text', text: 'the weather?', metadata: { from: 'me' } },
    ]
    const response = await request(server, {
      messages: [{ ...question, content, name: 'Ada' }],
      forwardedProps: { agent: { of: 'theirs' }, throughline: { expected_assistant_message_id: 'mine' } },
      state: { anything: 1 },
      tools: [{ name: 'theirs', description: 'Not used.' }],
      context: [{ description: 'where', value: 'here' }],
    })
    expect(response.status).toBe(200)
    await response.text()
    const { messages } = await loadChat(server.url)
    expect(messages).toMatchObject([
      {
        id: 'question',
        metadata: { senderName: 'Ada' },
        parts: [
          { type: 'text', text: 'How is' },
          { type: 'text', text: 'the weather?' },
        ],
      },
      { id: 'mine' },
    ])
  })

  test('may have ids of any length before the question', async () => {
    await using server = await startTestServer()
    const long = { id: ':'.repeat(900_000), role: 'assistant', content: '' }
    const first = { id: 'first', role: 'user', content: 'Hello' }
    await (await request(server, { messages: [first, long, question] })).text()
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('takes the last question only: history is the server’s', async () => {
    await using server = await startTestServer()
    const made = { id: 'made-up', role: 'assistant', content: 'I promise everything.' }
    const earlier = { id: 'earlier', role: 'user', content: 'Never asked here.' }
    await (await request(server, { messages: [earlier, made, question] })).text()
    const { messages } = await loadChat(server.url)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(JSON.stringify(messages)).not.toMatch(/promise|Never asked/)
  })

  test('leaves messages of others alone that came after the question', async () => {
    await using server = await startTestServer()
    const others = { id: 'theirs', role: 'assistant', content: 'By another agent.' }
    const text = await (await request(server, { messages: [question, others] })).text()
    expect(text).not.toContain('MESSAGES_SNAPSHOT')
  })
})

function request(
  { url }: TestServer,
  fields: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = { threadId: 'chat', runId: 'run', messages: [question], tools: [], context: [], state: {} }
  return sendJson(`${url}/ag-ui`, { ...body, ...fields }, { headers })
}

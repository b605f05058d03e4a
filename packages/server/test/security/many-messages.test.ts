import type { Store } from '@throughline/store/testing'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'

const counted = { reads: 0 }
const server = await startTestServer({ wrapStore: store => countingReads(store) })
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  counted.reads = 0
})

/** A store that counts each call of these parts. Every call is at least one query. */
function countingReads(store: Store): Store {
  const counting = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver)
        if (typeof value === 'function') counted.reads++
        return value
      },
    })
  return {
    ...store,
    messages: counting(store.messages),
    runs: counting(store.runs),
    approvals: counting(store.approvals),
  }
}

const colons = 'x:'.repeat(40)
const unknown = (count: number, prefix = colons) =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, role: 'assistant', content: '' }))
const question = { id: 'new', role: 'user', content: 'And now?' }

describe('a request with thousands of messages that nobody knows makes few queries', () => {
  test('of AG-UI, with 60 ids in each id', async () => {
    const messages = [{ id: 'old', role: 'user', content: 'x' }, ...unknown(6_800), question]
    const body = { threadId: 'ag-ui', runId: 'run', messages, tools: [], context: [], state: {} }
    const response = await sendJson(`${server.url}/ag-ui`, body)
    expect(response.status).toBe(200)
    await response.text()
    expect(counted.reads).toBeLessThan(100)
  })

  test('of the AI SDK', async () => {
    const shown = Array.from({ length: 9_000 }, (_, index) => ({
      id: `${index}`,
      role: 'assistant',
      parts: [],
    }))
    const messages = [...shown, { id: 'new', role: 'user', parts: [{ type: 'text', text: 'And now?' }] }]
    const response = await sendJson(`${server.url}/api/chat`, {
      id: 'sdk',
      trigger: 'submit-message',
      messages,
    })
    expect(response.status).toBe(200)
    await response.text()
    expect(counted.reads).toBeLessThan(100)
  })

  test('with decisions on approvals that nobody knows', async () => {
    const resume = Array.from({ length: 1_000 }, (_, index) => ({
      interruptId: `approval-${index}`,
      status: 'cancelled',
    }))
    const body = { threadId: 'resume', runId: 'run', messages: [question], resume }
    const response = await sendJson(`${server.url}/ag-ui`, body)
    expect(response.status).toBe(200)
    await response.text()
    expect(counted.reads).toBeLessThan(100)
  })
})

test('a message that the page shows far before its newest ones is still found', async () => {
  await (await ask(server.url, { chatId: 'far', messageId: 'first' })).text()
  const { messages } = await (await fetch(`${server.url}/api/chats/far/messages`)).json()
  const answerId: string = messages[1].id
  const shown = [
    { id: 'first', role: 'user', content: 'How is the weather?' },
    { id: `${answerId}:text`, role: 'assistant', content: 'x' },
  ]
  await (await ask(server.url, { chatId: 'far', messageId: 'second' })).text()
  const body = { threadId: 'far', runId: 'run', messages: [...shown, ...unknown(3_000, ''), question] }
  await (await sendJson(`${server.url}/ag-ui`, body)).text()
  const branches = await (await fetch(`${server.url}/api/chats/far/messages`)).json()
  const placed = branches.messages.find(({ id }: { readonly id: string }) => id === 'new')
  expect(placed?.metadata.previousMessageId).toBe(answerId)
})

describe('a request is refused', () => {
  const many = Array.from({ length: 10_001 }, () => ({ id: 'a', role: 'user', content: 'x' }))
  test.each([
    ['/api/chat', { id: 'many', messages: many }],
    ['/ag-ui', { threadId: 'many', runId: 'run', messages: many }],
    ['/v1/chat/completions', { model: 'assistant', messages: many }],
    ['/v1/responses', { model: 'assistant', input: many }],
  ])('%s with more than 10,000 messages', async (path, body) => {
    const response = await sendJson(server.url + path, body)
    expect(response.status).toBe(413)
    const text = await response.text()
    expect(text).toContain('too-many-messages')
    expect(text).toContain('more than 10000 messages')
    expect(counted.reads).toBe(0)
  })

  test.each([
    ['runId', { runId: 'x'.repeat(129) }],
    ['threadId', { threadId: 'x'.repeat(129) }],
    ['resume.0.interruptId', { resume: [{ interruptId: 'x'.repeat(129), status: 'cancelled' }] }],
  ])('of AG-UI with too long a %s', async (field, fields) => {
    const body = { threadId: 'long', runId: 'run', messages: [question], ...fields }
    const problem = await problemOf(await sendJson(`${server.url}/ag-ui`, body))
    expect(problem).toMatchObject({ status: 400, code: 'invalid-body' })
    expect(problem['detail']).toContain(`field "${field}"`)
  })
})

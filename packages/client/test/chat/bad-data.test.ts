import { expect, test, vi } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { isReady, recordChat } from './recorded-chat.ts'

const page = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
const text = { type: 'text', text: 'Fine.' }
const chatOf = (message: unknown) => ({ messages: [message], position: 'epoch.1' })
const chatWith = (...parts: readonly unknown[]) => chatOf({ id: 'one', role: 'assistant', parts })
const hasError = ({ error }: ChatSnapshot) => error !== undefined

test.each<[string, () => Response]>([
  ['a page', page],
  ['JSON that was cut', () => new Response('{"messages":[{"id":"on')],
  ['nothing', () => new Response('')],
  ['null', () => Response.json(null)],
  ['no messages', () => Response.json({ position: 'epoch.1' })],
  ['no position', () => Response.json({ messages: [] })],
  ['a message that is null', () => Response.json(chatOf(null))],
  ['a message without an id', () => Response.json(chatOf({ role: 'user', parts: [] }))],
  ['a message of an unknown role', () => Response.json(chatOf({ id: 'one', role: 'x', parts: [] }))],
  ['parts that are null', () => Response.json(chatOf({ id: 'one', role: 'user', parts: null }))],
  [
    'metadata that is a text',
    () => Response.json(chatOf({ id: 'one', role: 'user', parts: [], metadata: 'x' })),
  ],
])(
  'a chat that loads as %s has bad data: it is asked for once, until somebody tries again',
  async (_name, respond) => {
    const answers = [respond(), Response.json({ messages: [], position: 'epoch.0' })]
    const urls: string[] = []
    const fetch = vi.fn(async (url: unknown) => {
      urls.push(String(url))
      return answers.shift() ?? new Promise<Response>(() => undefined)
    })
    using chat = recordChat('', { fetch })
    const { error, status, connection } = await chat.until(hasError)
    expect({ code: error?.code, isTemporary: error?.isTemporary }).toEqual({
      code: 'bad-data',
      isTemporary: false,
    })
    expect({ status, connection }).toEqual({ status: 'loading', connection: 'lost' })
    await chat.nextFrame()
    expect(urls).toHaveLength(1)

    chat.store.resume()
    await chat.until(isReady)
    expect(chat.store.getSnapshot().error).toBeUndefined()
  },
)

test.each<[string, unknown]>([
  ['null', null],
  ['a text', 'text'],
  ['an object without a type', { text: 'x' }],
  ['a text that is a number', { type: 'text', text: 5 }],
  ['reasoning without a text', { type: 'reasoning' }],
  ['a call without an id', { type: 'tool-look', state: 'output-available' }],
  ['a call in an unknown state', { type: 'dynamic-tool', toolCallId: 'call', state: 'x' }],
  ['a file without an address', { type: 'file', mediaType: 'image/png' }],
  ['a source without an id', { type: 'source-url', url: 'https://example.com' }],
])('a part that cannot be read, such as %s, is the only one that is not shown', async (_name, part) => {
  const answers = [Response.json(chatWith(text, part, text))]
  const fetch = async () => answers.shift() ?? new Promise<Response>(() => undefined)
  using chat = recordChat('', { fetch })
  const { messages, error } = await chat.until(isReady)
  expect(error).toBeUndefined()
  expect(messages).toMatchObject([{ parts: [text, { type: 'data-unreadable', data: part }, text] }])
})

test('a part of a type that this version does not know stays as it is', async () => {
  const parts = [{ type: 'hologram', depth: 3 }, text]
  const answers = [Response.json(chatWith(...parts))]
  const fetch = async () => answers.shift() ?? new Promise<Response>(() => undefined)
  using chat = recordChat('', { fetch })
  expect((await chat.until(isReady)).messages).toMatchObject([{ parts }])
})

test('a log that comes as a page is bad data, and is asked for once', async () => {
  const answers = [Response.json({ messages: [], position: 'epoch.0' }), page()]
  const fetch = vi.fn(async () => answers.shift() ?? new Promise<Response>(() => undefined))
  using chat = recordChat('', { fetch })
  const { error, connection } = await chat.until(hasError)
  expect({ code: error?.code, connection }).toEqual({ code: 'bad-data', connection: 'lost' })
  await chat.nextFrame()
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('a message whose receipt cannot be read is not sent for ever: it can be sent again', async () => {
  const answers = [page()]
  const fetch = vi.fn(async (url: unknown, init?: RequestInit) =>
    init?.method === 'POST' ? (answers.shift() ?? page()) : new Promise<Response>(() => url),
  )
  using chat = recordChat('', { fetch, isNew: true })
  await chat.until(isReady)
  await chat.store.send('Hello')
  const [error] = [...chat.store.getSnapshot().unsent.values()]
  await chat.until(({ unsent }) => unsent.size === 1)
  expect(error?.code ?? [...chat.store.getSnapshot().unsent.values()][0]?.code).toBe('bad-data')
  expect(fetch.mock.calls.filter(([, init]) => init?.method === 'POST')).toHaveLength(1)
})

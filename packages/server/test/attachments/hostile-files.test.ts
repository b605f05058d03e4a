import { pictureBase64, pictureBytes } from '@throughline/testing/browser/picture'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const megabyte = 1024 * 1024
const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` })
const tokens = new Map(['ada', 'bob'].map(name => [`token-of-${name}`, ownerIdOf(name)]))

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ tokens })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

function send(parts: readonly unknown[], { owner = 'ada', chatId = 'chat' } = {}): Promise<Response> {
  const body = { id: chatId, messages: [messageWith(parts)] }
  return sendJson(`${server.url}/api/chat`, body, { headers: bearer(owner) })
}

/** Returns a PNG of this size: a real picture, and then zeros. */
const pngOf = (bytes: number) =>
  fileOf('image/png', Buffer.concat([pictureBytes, Buffer.alloc(bytes - pictureBytes.length)]))

async function expectRefused(response: Response, problem: object, chatId = 'chat'): Promise<void> {
  expect(await problemOf(response)).toMatchObject(problem)
  // Nothing is left of it.
  expect((await fetch(`${server.url}/api/chats/${chatId}`, { headers: bearer('ada') })).status).toBe(404)
}

describe('a message is refused', () => {
  test.each([
    ['when a file is larger than 10 MB', [pngOf(10 * megabyte + 1)], 'file-too-large'],
    [
      'when a text file is larger than 1 MB',
      [fileOf('text/plain', 'x'.repeat(megabyte + 1))],
      'file-too-large',
    ],
    [
      'when its files are larger than 20 MB together',
      [8, 7, 6].map(size => pngOf(size * megabyte)),
      'files-too-large',
    ],
    ['when it has 11 files', Array.from({ length: 11 }, () => picturePart), 'too-many-files'],
    ['when it has 1,000 files', Array.from({ length: 1000 }, () => picturePart), 'too-many-files'],
  ])('%s', async (_, parts, code) => {
    await expectRefused(await send(parts), { status: 413, code })
  })

  test.each([
    ['a PNG that is said to be a JPEG', { ...picturePart, mediaType: 'image/jpeg' }],
    ['a web page that is said to be a PNG', fileOf('image/png', '<script>alert(1)</script>')],
    ['an SVG', fileOf('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a web page', fileOf('text/html', '<p>Hello</p>')],
    ['a program', fileOf('application/octet-stream', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))],
    ['a picture that is cut off', fileOf('image/png', pictureBytes.slice(0, 12))],
  ])('when a file is %s', async (_, part) => {
    const response = await send([part])
    const { detail } = await problemOf(response.clone())
    await expectRefused(response, { status: 415, code: 'file-type' })
    expect(detail).toContain('Accepted are PNG')
  })

  test.each([
    ['no base64', `data:image/png;base64,${pictureBase64.slice(0, -4)}*===`],
    ['in the URL form of base64', 'data:image/png;base64,iVBORw0KGgo_-w=='],
    ['half a percent sequence', 'data:text/plain,100%'],
    ['without a comma', 'data:image/png;base64'],
    ['empty', 'data:image/png;base64,'],
  ])('when the data of a file is %s', async (_, url) => {
    await expectRefused(await send([{ ...picturePart, url }]), { status: 400, code: 'invalid-file' })
  })

  test.each([
    'https://example.com/a.png',
    'http://127.0.0.1:1/a.png',
    'file:///etc/passwd',
    'blob:http://localhost/1',
    'javascript:alert(1)',
    '/etc/passwd',
    '/api/chats/other/files/file_00000000000000000000000000000000',
    '',
  ])('when a file has the address %j', async url => {
    const response = await send([{ ...picturePart, url }])
    const { detail } = await problemOf(response.clone())
    await expectRefused(response, { status: 400, code: 'foreign-file' })
    expect(detail).toContain('Send the file itself as a data URL')
  })

  test.each(['..', '../../other/files/x', '..%2f..%2fthroughline.sqlite', 'x?y', '%00', ''])(
    'when a file of the chat has the name %j',
    async name => {
      const url = `/api/chats/chat/files/${name}`
      await expectRefused(await send([{ ...picturePart, url }]), { status: 400, code: 'unknown-file' })
    },
  )

  test.each([
    ['no address', { type: 'file', mediaType: 'image/png' }],
    ['an address that is no text', { type: 'file', mediaType: 'image/png', url: 7 }],
    ['a type that is no text', { ...picturePart, mediaType: ['image/png'] }],
  ])('when a file has %s', async (_, part) => {
    await expectRefused(await send([part]), { status: 400, code: 'invalid-file' })
  })

  test('when its text is larger than 1 MB, whatever the text looks like', async () => {
    const text = `data:text/plain,${'x'.repeat(megabyte)}`
    for (const part of [
      { type: 'text', text },
      { type: 'text', text, url: text },
    ]) {
      await expectRefused(await send([part]), { status: 413, code: 'body-too-large' })
    }
  })
})

test('a file of 100 MB is refused, and never held in memory', async () => {
  const before = process.memoryUsage().arrayBuffers
  let peak = 0
  const piece = Buffer.alloc(megabyte, 'A')
  const beginning =
    '{"id":"chat","messages":[{"id":"m","role":"user","parts":[{"type":"file","url":"data:image/png;base64,'
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) controller.enqueue(Buffer.from(beginning))
      sent += 1
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
      controller.enqueue(piece)
      if (sent === 134) controller.close()
    },
  })
  const headers = { 'content-type': 'application/json', ...bearer('ada') }
  const streamed = { method: 'POST', headers, body, duplex: 'half' }
  const response = await fetch(`${server.url}/api/chat`, streamed)
  await expectRefused(response, { status: 413, code: 'body-too-large' })
  // The limit of a body, and what is on its way between the two ends.
  expect(peak).toBeLessThan(64 * megabyte)
})

test('files up to the limits are accepted', async () => {
  const files = [10, 9].map(size => pngOf(size * megabyte))
  const response = await send([...files, ...Array.from({ length: 8 }, () => picturePart)], { chatId: 'full' })
  expect(response.status).toBe(200)
  await response.text()
})

test('the address of another owner’s file is refused like one that does not exist', async () => {
  await (await send([picturePart], { owner: 'bob', chatId: 'shared' })).text()
  const history = await fetch(`${server.url}/api/chats/shared/messages`, { headers: bearer('bob') })
  const { messages } = await history.json()
  const { url } = messages[0].parts[0]
  const response = await send([{ ...picturePart, url }], { chatId: 'shared' })
  await expectRefused(response, { status: 400, code: 'unknown-file' }, 'shared')
  const never = await send([{ ...picturePart, url: `${url.slice(0, -4)}0000` }], { chatId: 'shared' })
  await expectRefused(never, { status: 400, code: 'unknown-file' }, 'shared')
})

test('the files of earlier messages in a stock page’s history are not read', async () => {
  const page = [
    {
      id: 'old',
      role: 'user',
      parts: [{ ...picturePart, url: `data:image/png;base64,${'A'.repeat(3 * megabyte)}` }],
    },
    { id: 'answer', role: 'assistant', parts: [{ type: 'text', text: 'Hm.' }] },
    messageWith([], 'And now?', 'new'),
  ]
  await using own = await startTestServer()
  const response = await sendJson(`${own.url}/api/chat`, {
    id: 'chat',
    messages: page,
    trigger: 'submit-message',
  })
  expect(response.status).toBe(200)
  await response.text()
  expect((await loadChat(own.url)).messages).toHaveLength(2)
})

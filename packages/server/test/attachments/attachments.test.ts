import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const pdf = '%PDF-1.7\n1 0 obj'

/** Sends a message as our own client does, and waits for the answer. */
async function send(url: string, message: unknown, fields: object = {}): Promise<Response> {
  const response = await sendJson(`${url}/api/chat`, { id: 'chat', message, ...fields })
  if (response.ok) await response.clone().text()
  return response
}

const fileIdsOf = async (url: string) =>
  (await loadChat(url)).messages.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === 'file' ? [part.url] : [])),
  )

describe('a file of a message', () => {
  test('is saved as a file of the chat, and the message has its address in the log and in the rows', async () => {
    await using server = await startTestServer()
    await send(server.url, messageWith([picturePart], 'What is it?'))
    const { messages } = await loadChat(server.url)
    expect(messages[0]?.parts).toEqual([
      {
        type: 'file',
        mediaType: 'image/png',
        url: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_[0-9a-f]{32}$/),
        filename: 'red.png',
      },
      { type: 'text', text: 'What is it?' },
    ])
    const log = await readLog(server.url)
    expect(replay(log)).toEqual(messages)
    expect(JSON.stringify(log)).not.toContain('base64')
    const [address = ''] = await fileIdsOf(server.url)
    const response = await fetch(server.url + address)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(pictureBytes)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  test.each([
    ['text/plain', '<script>alert(1)</script>', 'txt', 'text/plain; charset=utf-8'],
    ['text/markdown', '# Title', 'md', 'text/markdown; charset=utf-8'],
    ['text/csv', 'a,b', 'csv', 'text/csv; charset=utf-8'],
    ['application/json', '{}', 'json', 'application/json; charset=utf-8'],
    ['application/pdf', pdf, 'pdf', 'application/pdf'],
  ])('of the type %s can only be downloaded', async (mediaType, content, extension, served) => {
    await using server = await startTestServer()
    await send(server.url, messageWith([fileOf(mediaType, content)], 'Read it.'))
    const [address = ''] = await fileIdsOf(server.url)
    const response = await fetch(server.url + address)
    expect(await response.text()).toBe(content)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': served,
      'content-disposition': `attachment; filename="${address.split('/').at(-1)}.${extension}"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
  })

  test('can come without a text. Then the chat has its name as the title', async () => {
    await using server = await startTestServer()
    expect((await send(server.url, messageWith([picturePart]))).status).toBe(200)
    const chat = await (await fetch(`${server.url}/api/chats/chat`)).json()
    expect(chat).toMatchObject({ title: 'red.png' })
  })

  test('has a name without folders and control characters', async () => {
    await using server = await startTestServer()
    const names = [
      '../../etc/passwd',
      'C:\\secret\\plan.txt',
      'a\u0000\nb.txt',
      '/',
      `${'x'.repeat(300)}.txt`,
    ]
    const files = names.map((name, index) => fileOf('text/plain', `file ${index}`, name))
    await send(server.url, messageWith(files))
    const { messages } = await loadChat(server.url)
    expect(messages[0]?.parts.map(part => ('filename' in part ? part.filename : undefined))).toEqual([
      'passwd',
      'plan.txt',
      'ab.txt',
      undefined,
      'x'.repeat(200),
    ])
  })

  test('is gone with its chat', async () => {
    await using server = await startTestServer()
    await send(server.url, messageWith([picturePart]))
    const [address = ''] = await fileIdsOf(server.url)
    await fetch(`${server.url}/api/chats/chat`, { method: 'DELETE' })
    await send(server.url, messageWith([], 'Hello'))
    expect((await fetch(server.url + address)).status).toBe(404)
    const refused = await send(server.url, messageWith([{ ...picturePart, url: address }], undefined, 'two'))
    expect(await problemOf(refused)).toMatchObject({ status: 400, code: 'unknown-file' })
  })
})

describe('a message with a file that is sent again', () => {
  test('is the same run, and its file is saved once', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    const message = messageWith([picturePart, { ...picturePart, filename: 'again.png' }], 'Look.')
    const bodies = await Promise.all(
      [1, 2, 3].map(async () => (await send(server.url, message, { onBusy: 'queue' })).text()),
    )
    expect(new Set(bodies).size).toBe(1)
    await send(server.url, message)
    expect(given).toHaveLength(1)
    const addresses = await fileIdsOf(server.url)
    expect(addresses).toHaveLength(2)
    expect(new Set(addresses).size).toBe(1)
  })

  test('is refused when it has another file under the same id', async () => {
    await using server = await startTestServer()
    await send(server.url, messageWith([fileOf('text/plain', 'one')], 'Look.'))
    const refused = await send(server.url, messageWith([fileOf('text/plain', 'two')], 'Look.'))
    expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'message-id-taken' })
  })

  test('may name the file by its address instead', async () => {
    const { agent, given } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    await send(server.url, messageWith([picturePart], 'Look.'))
    const [address = ''] = await fileIdsOf(server.url)
    await send(server.url, messageWith([{ ...picturePart, url: address }], 'Look.'))
    expect(given).toHaveLength(1)
    await send(server.url, messageWith([{ ...picturePart, url: address }], 'Look again.', 'second'))
    expect(given).toHaveLength(2)
    expect(await fileIdsOf(server.url)).toEqual([address, address])
  })
})

test('a message that is refused because its chat is busy writes no file', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
  const written: string[] = []
  await using server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      files: {
        ...store.files,
        write: (chat, file) => {
          written.push(file.id)
          return store.files.write(chat, file)
        },
      },
    }),
  })
  const post = (message: unknown) => sendJson(`${server.url}/api/chats/chat/messages`, { message })
  expect((await post(messageWith([], 'One?'))).status).toBe(202)
  const refused = await post(messageWith([picturePart], 'Two?', 'second'))
  expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'chat-busy' })
  expect(written).toEqual([])
  letGo()
})

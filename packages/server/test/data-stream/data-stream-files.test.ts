import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, pictureUrl } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const saved = (mediaType: string, filename?: string) => ({
  type: 'file',
  mediaType,
  url: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_/),
  ...(filename === undefined ? {} : { filename }),
})

async function startLines() {
  const { agent, given } = recordingAgent()
  const server = await startTestServer({ agents: [agent] })
  return {
    url: server.url,
    given,
    async send(messages: readonly object[]): Promise<void> {
      const body = { id: 'chat', messages }
      const response = await sendJson(`${server.url}/api/chat?format=data-stream`, body)
      expect(response.status).toBe(200)
      await response.text()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const withPicture = (url: string) => ({
  role: 'user',
  content: 'What is it?',
  parts: [{ type: 'text', text: 'What is it?' }],
  experimental_attachments: [{ name: 'red.png', contentType: 'image/png', url }],
})

describe('experimental_attachments of AI SDK 4', () => {
  test('are saved as files of the message, and the chat goes on', async () => {
    await using world = await startLines()
    await world.send([withPicture(pictureUrl)])
    const answer = { role: 'assistant', content: 'Answer 1.' }
    await world.send([withPicture(pictureUrl), answer, { role: 'user', content: 'And now?' }])
    const { messages } = await loadChat(world.url)
    expect(messages[0]?.parts).toEqual([saved('image/png', 'red.png'), { type: 'text', text: 'What is it?' }])
    expect(world.given.map(ids => ids.length)).toEqual([1, 3])
  })

  test('tell a message from another one with the same text, and reload() from both', async () => {
    await using world = await startLines()
    await world.send([withPicture(pictureUrl)])
    await world.send([withPicture(pictureUrl)])
    const other = Buffer.concat([Buffer.from(pictureUrl.split(',')[1] ?? '', 'base64'), Buffer.from('.')])
    await world.send([withPicture(fileOf('image/png', other).url)])
    const [first, again, third] = world.given
    expect(again).toEqual(first)
    expect(third).not.toEqual(first)
  })
})

test('pictures and files in the content of assistant-ui are saved as files', async () => {
  await using world = await startLines()
  const { url } = fileOf('text/csv', 'a,b')
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'image', image: pictureUrl },
    { type: 'file', data: url, mimeType: 'text/csv', filename: 'table.csv' },
  ]
  await world.send([{ role: 'user', content }])
  expect((await loadChat(world.url)).messages[0]?.parts).toEqual([
    { type: 'text', text: 'Look.' },
    saved('image/png'),
    saved('text/csv', 'table.csv'),
  ])
})

import { HttpAgent } from '@ag-ui/client'
import type { Message } from '@ag-ui/core'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { pictureBase64 } from '@throughline/testing/browser/picture'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { pictureUrl } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const saved = {
  type: 'file',
  mediaType: 'image/png',
  url: expect.stringMatching(/^\/api\/chats\/chat\/files\/file_/),
}

test('an AG-UI client sends a picture, which is saved as a file, and goes on', async () => {
  const { agent, given } = recordingAgent()
  await using server = await startTestServer({ agents: [agent] })
  const question: Message = {
    id: 'question',
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'data', value: pictureBase64, mimeType: 'image/png' } },
    ],
  }
  const client = new HttpAgent({ url: `${server.url}/ag-ui`, threadId: 'chat', initialMessages: [question] })
  await client.runAgent({ runId: 'one' })
  client.addMessage({ id: 'next', role: 'user', content: 'And now?' })
  await client.runAgent({ runId: 'two' })
  const { messages } = await loadChat(server.url)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(messages[0]?.parts).toEqual([{ type: 'text', text: 'What is it?' }, saved])
  expect(given.map(ids => ids.length)).toEqual([1, 3])
})

test.each([
  ['binary content with data', { type: 'binary', mimeType: 'image/png', data: pictureBase64 }],
  ['binary content with a data URL', { type: 'binary', mimeType: 'image/png', url: pictureUrl }],
  ['a data URL as a source', { type: 'image', source: { type: 'url', value: pictureUrl } }],
])('%s is saved as a file too', async (_, part) => {
  await using server = await startTestServer()
  const messages = [{ id: 'question', role: 'user', content: [part] }]
  const body = { threadId: 'chat', runId: 'run', messages, tools: [], context: [] }
  await (await sendJson(`${server.url}/ag-ui`, body)).text()
  expect((await loadChat(server.url)).messages[0]?.parts).toEqual([saved])
})

test.each([
  ['no data', { type: 'binary', mimeType: 'image/png', id: 'elsewhere' }, 400],
  ['a file of a provider', { type: 'document', source: { type: 'file', value: 'file-1' } }, 400],
  ['sound', { type: 'audio', source: { type: 'data', value: 'UklGRg==', mimeType: 'audio/wav' } }, 415],
])('a part with %s is refused', async (_, part, status) => {
  await using server = await startTestServer()
  const messages = [{ id: 'question', role: 'user', content: [part] }]
  const response = await sendJson(`${server.url}/ag-ui`, { threadId: 'chat', runId: 'run', messages })
  expect(await problemOf(response)).toMatchObject({ status })
})

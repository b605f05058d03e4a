import type { Agent } from '@throughline/agents'
import { type Message, textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { pictureUrl } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { openAi } from './open-ai-client.ts'

const note = `data:text/plain;base64,${Buffer.from('Sunny.').toString('base64')}`

test('a chat completion takes images and files, in the question and before it', async () => {
  const { agent, given } = watchingAgent()
  await using server = await startTestServer({ agents: [agent] })
  const seen = {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: pictureUrl } },
    ],
  } satisfies OpenAI.ChatCompletionMessageParam
  const read = {
    role: 'user',
    content: [
      { type: 'file', file: { file_data: note, filename: 'note.txt' } },
      { type: 'image_url', image_url: { url: pictureUrl } },
      { type: 'text', text: 'And this?' },
    ],
  } satisfies OpenAI.ChatCompletionMessageParam
  await openAi(server.url).chat.completions.create({
    model: 'assistant',
    messages: [seen, { role: 'assistant', content: 'Red.' }, read],
    metadata: { chat_id: 'trip' },
  })
  expect(given.map(filesIn)).toEqual([['image/png'], [], ['image/png']])
  // A text file is given as text.
  expect(given.map(textOf).at(-1)).toContain('Sunny.')
  const saved = (await loadChat(server.url, 'trip')).messages
  const urls = saved.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'file' ? [part.url] : [])))
  expect(urls).toHaveLength(3)
  for (const url of urls) expect((await fetch(server.url + url)).status).toBe(200)
})

test('a response takes images and files', async () => {
  const { agent, given } = watchingAgent()
  await using server = await startTestServer({ agents: [agent] })
  const content = [
    { type: 'input_text', text: 'What is this?' },
    { type: 'input_image', image_url: pictureUrl, detail: 'auto' },
    { type: 'input_file', file_data: note, filename: 'note.txt' },
  ] satisfies OpenAI.Responses.ResponseInputContent[]
  const { responses } = openAi(server.url)
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content }]
  const { id } = await responses.create({ model: 'assistant', input })
  expect(given.map(filesIn)).toEqual([['image/png']])
  expect(given.map(textOf).at(-1)).toContain('Sunny.')
  await responses.create({ model: 'assistant', input, previous_response_id: id })
  expect(given.map(filesIn)).toEqual([['image/png'], [], ['image/png']])
})

/** Returns an agent, and the messages that it was given last. */
function watchingAgent(): { readonly agent: Agent; readonly given: readonly Message[] } {
  const given: Message[] = []
  const agent = scriptedAgent('assistant', ({ messages }) => {
    given.splice(0, given.length, ...messages)
    return [say('I see.'), finish]
  })
  return { agent, given }
}

function filesIn({ parts }: Message): readonly string[] {
  return parts.flatMap(part => (part.type === 'file' ? [part.mediaType] : []))
}

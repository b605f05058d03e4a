import { RunAgentInputSchema } from '@ag-ui/core/schemas'
import { type RemoteFormName, remoteAgent } from '@throughline/agents'
import { encodeSse, type Message } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart, pictureUrl } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { startSseService } from './remote-service.ts'

const pdf = fileOf('application/pdf', '%PDF-1.7\n%%EOF\n', 'plan.pdf')
const question = messageWith([picturePart, pdf], 'What is this?')

/** Sends a question with files to a remote agent. */
async function askAt(url: string, form: RemoteFormName): Promise<void> {
  const agent = remoteAgent({ name: 'support', url, form })
  await using server = await startTestServer({ agents: [agent] })
  const response = await sendJson(`${server.url}/api/chat`, { id: 'chat', messages: [question] })
  expect(response.status).toBe(200)
  await response.text()
}

/** Returns the body that a service of this form gets. */
async function bodyFor(form: RemoteFormName): Promise<unknown> {
  await using service = await startSseService([encodeSse({ data: '[DONE]' })])
  await askAt(service.url, form)
  return service.requests[0]?.body
}

test('a stock route gets the files as the page sent them', async () => {
  expect(await bodyFor('ai-sdk')).toMatchObject({ messages: [question] })
})

test('an OpenAI-style service gets pictures and files', async () => {
  expect(await bodyFor('openai')).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: pictureUrl } },
          { type: 'file', file: { filename: 'plan.pdf', file_data: pdf.url } },
        ],
      },
    ],
  })
})

test('an AG-UI service gets pictures and documents', async () => {
  const { messages } = RunAgentInputSchema.parse(await bodyFor('ag-ui'))
  const base64 = (url: string) => url.split(',')[1]
  expect(messages).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', source: { type: 'data', mimeType: 'image/png', value: base64(pictureUrl) } },
        { type: 'document', source: { type: 'data', mimeType: 'application/pdf', value: base64(pdf.url) } },
      ],
    },
  ])
})

test('the agent of another Throughline gets the files', async () => {
  const read: Message[] = []
  const agent = scriptedAgent('assistant', ({ messages }) => {
    read.push(...messages)
    return [say('A picture and a plan.'), finish]
  })
  await using other = await startTestServer({ agents: [agent] })
  await askAt(`${other.url}/api/chat`, 'throughline')
  expect(read).toMatchObject([{ parts: question.parts }])
})

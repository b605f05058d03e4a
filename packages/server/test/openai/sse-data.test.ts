import { sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const model = 'assistant'

// OpenAI's client for Python parses the data of everything that a blank line ends, unless it is only a comment.
test.each([
  ['chat/completions', { model, messages: [{ role: 'user', content: 'How is the weather?' }] }],
  ['responses', { model, input: 'How is the weather?' }],
])('every SSE event of %s has data', async (path, body) => {
  await using server = await startTestServer()
  const response = await sendJson(`${server.url}/v1/${path}`, { ...body, stream: true })
  const blocks = (await response.text()).split('\n\n').slice(0, -1)
  expect(blocks.length).toBeGreaterThan(3)
  expect(blocks.filter(block => !/^data: /m.test(block))).toEqual([])
})

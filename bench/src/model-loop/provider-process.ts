import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { serveHttp } from '../child.ts'
import { deltas, numbered, perSecond } from './answer-script.ts'

// A model provider that speaks the form of OpenAI's chat completions. Each delta is a write of its own, at its own time.
const server = createServer((request, response) => {
  request.resume()
  answer(response).catch(error => response.destroy(error))
})
await serveHttp(server)

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const startedAt = performance.now() + (Math.random() * 1000) / perSecond
  for (let index = 0; index < deltas; index += 1) {
    const dueAt = startedAt + (index * 1000) / perSecond
    await wait(Math.max(0, dueAt - performance.now()))
    response.write(eventOf({ content: numbered(index) }, null))
  }
  response.end(`${eventOf({}, 'stop')}data: [DONE]\n\n`)
}

/** Returns an SSE event with all fields that OpenAI sends. */
function eventOf(delta: { readonly content?: string }, finishReason: 'stop' | null): string {
  const chunk = {
    id: 'chatcmpl-0123456789abcdef',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'recorded',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { orderIn, wordsOf } from '../server/order.ts'

export interface NumberedProvider extends AsyncDisposable {
  /** The base URL for the AI SDK's provider of OpenAI-compatible models. */
  readonly url: string
}

/** Starts a model provider. Its model says the numbered words that the last message of the request asks for. */
export async function startNumberedProvider(): Promise<NumberedProvider> {
  const server = createServer((request, response) => {
    // It fails when the client has left, which is what the torture is about.
    text(request)
      .then(body => speak(response, body))
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The provider has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function speak(response: ServerResponse, body: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const word of wordsOf(orderIn(lastText(JSON.parse(body))))) {
    response.write(partOf({ delta: { role: 'assistant', content: word }, finish_reason: null }))
    await nextTurn()
  }
  response.end(`${partOf({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`)
}

function partOf(choice: object): string {
  return `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 0, model: 'numbered', choices: [{ index: 0, ...choice }] })}\n\n`
}

interface ChatRequest {
  readonly messages: readonly { readonly content: string | readonly { readonly text: string }[] }[]
}

function lastText({ messages }: ChatRequest): string {
  const content = messages.at(-1)?.content ?? ''
  return typeof content === 'string' ? content : content.map(part => part.text).join('')
}

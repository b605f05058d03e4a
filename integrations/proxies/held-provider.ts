import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A provider of models that speaks chat completions. It begins each answer at once, and ends it when it is told to. */
export interface HeldProvider extends AsyncDisposable {
  /** The settings of a server that uses it. */
  readonly env: Readonly<Record<string, string>>
  /** Ends all answers. */
  letGo(): void
}

/**
 * Starts a provider whose answers are `Well, yes.`: it writes `Well,`, waits for `letGo`, and writes ` yes.`. If it is
 * asked to go on with an answer that has begun, it writes only the rest, and does not wait.
 */
export async function startHeldProvider(): Promise<HeldProvider> {
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    text(request).then(async body => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (!body.includes('Well,')) {
        say(response, 'Well,')
        await released
      }
      say(response, ' yes.')
      response.end(`${event({}, 'stop')}data: [DONE]\n\n`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The provider has no port.')
  return {
    env: {
      THROUGHLINE_MODEL: 'openai-compatible:held',
      OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${address.port}/v1`,
    },
    letGo,
    async [Symbol.asyncDispose]() {
      letGo()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function say(response: ServerResponse, content: string): void {
  response.write(event({ role: 'assistant', content }, null))
}

function event(delta: unknown, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  const chunk = { id: 'answer', object: 'chat.completion.chunk', created: 0, model: 'held', choices }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

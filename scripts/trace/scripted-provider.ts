import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A response of a model that is said piece by piece. What is said before its request comes is sent with it. */
export interface SpokenResponse {
  say(text: string): void
  call(toolName: string, input: unknown): void
  end(): void
}

export interface ScriptedProvider {
  readonly url: string
  /** Makes the response to the next request that has none yet. */
  next(): SpokenResponse
}

/** Starts a model provider in the form of OpenAI's chat completions. It ends with the process. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const planned: Spoken[] = []
  const server = createServer(async (request, response) => {
    await text(request)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const spoken = planned.shift()
    if (spoken === undefined) response.destroy(new Error('No response is planned for this request.'))
    else spoken.sendTo(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`,
    next() {
      const spoken = new Spoken()
      planned.push(spoken)
      return spoken
    },
  }
}

let lastCall = 0

class Spoken implements SpokenResponse {
  #response: ServerResponse | undefined
  #waiting: string[] = []
  #hasCalled = false

  say(content: string): void {
    this.#send({ content })
  }

  call(name: string, input: unknown): void {
    this.#hasCalled = true
    lastCall += 1
    const call = { index: 0, id: `call-${lastCall}`, type: 'function' }
    this.#send({ tool_calls: [{ ...call, function: { name, arguments: JSON.stringify(input) } }] })
  }

  end(): void {
    this.#send({}, this.#hasCalled ? 'tool_calls' : 'stop')
    this.#write('data: [DONE]\n\n')
    this.#response?.end()
  }

  sendTo(response: ServerResponse): void {
    this.#response = response
    for (const piece of this.#waiting) response.write(piece)
    if (this.#waiting.at(-1)?.includes('[DONE]')) response.end()
  }

  #send(delta: object, finishReason: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason: finishReason }]
    const chunk = {
      id: 'completion',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'scripted',
      choices,
    }
    this.#write(`data: ${JSON.stringify(chunk)}\n\n`)
  }

  #write(piece: string): void {
    if (this.#response === undefined) this.#waiting.push(piece)
    else this.#response.write(piece)
  }
}

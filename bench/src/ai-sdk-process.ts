import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createUIMessageStream, createUIMessageStreamResponse, type UIMessageStreamWriter } from 'ai'
import { serveHttp } from './child.ts'
import { deltasOf, isScript, type Script } from './delta-source.ts'

// A server with the AI SDK, as its documentation serves and saves chats: `onEnd` gets the complete message. This server
// does not even save it: everything is in memory, and nothing can be resumed.
const server = createServer((request, response) => {
  respond(request, response).catch(error => response.destroy(error))
})
await serveHttp(server)

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const script = await scriptOf(request)
  let savedParts = 0
  const stream = createUIMessageStream({
    execute: ({ writer }) => play(script, writer),
    onEnd: ({ responseMessage }) => {
      savedParts = responseMessage.parts.length
    },
  })
  const { status, headers, body } = createUIMessageStreamResponse({ stream })
  response.setHeaders(headers)
  response.writeHead(status)
  if (body !== null) {
    for await (const bytes of body) if (!response.write(bytes)) await once(response, 'drain')
  }
  response.end()
  if (savedParts === 0) throw new Error('onEnd was not called before the end, so it was not measured.')
}

async function scriptOf(request: IncomingMessage): Promise<Script> {
  const body = Buffer.concat(await request.toArray()).toString()
  const word = /"text":"([a-z-]+)"/.exec(body)?.[1] ?? ''
  if (!isScript(word)) throw new RangeError(`There is no script "${word}".`)
  return word
}

async function play(script: Script, writer: UIMessageStreamWriter): Promise<void> {
  writer.write({ type: 'start' })
  writer.write({ type: 'start-step' })
  const call = { toolCallId: 'call', toolName: 'write_file' } as const
  if (script === 'tool-input') {
    writer.write({ type: 'tool-input-start', ...call })
    const texts: string[] = []
    for await (const inputTextDelta of deltasOf(script)) {
      texts.push(inputTextDelta)
      writer.write({ type: 'tool-input-delta', toolCallId: call.toolCallId, inputTextDelta })
    }
    writer.write({ type: 'tool-input-available', ...call, input: JSON.parse(texts.join('')) })
    writer.write({ type: 'tool-output-available', toolCallId: call.toolCallId, output: 'written' })
  } else {
    writer.write({ type: 'text-start', id: 'text' })
    for await (const delta of deltasOf(script)) writer.write({ type: 'text-delta', id: 'text', delta })
    writer.write({ type: 'text-end', id: 'text' })
  }
  writer.write({ type: 'finish-step' })
  writer.write({ type: 'finish' })
}

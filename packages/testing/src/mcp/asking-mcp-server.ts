import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface AskingMcpServer extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts an MCP server of the protocol 2025-11-25 whose tool `book` asks a question before it returns: the input of the call is
 * the question. The result of the tool is what the client replied.
 */
export async function startAskingMcpServer(): Promise<AskingMcpServer> {
  const asked = new Map<string, { readonly callId: unknown; readonly response: ServerResponse }>()
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params, result, error } = JSON.parse(await text(incoming))
    const reply = (message: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    switch (method) {
      case 'initialize':
        return reply({
          result: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'asking', version: '1.0.0' },
          },
        })
      case 'tools/list':
        return reply({ result: { tools: [{ name: 'book', inputSchema: { type: 'object' } }] } })
      case 'tools/call': {
        const question = `question-${asked.size}`
        asked.set(question, { callId: id, response })
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        return sendEvent(response, {
          id: question,
          method: 'elicitation/create',
          params: params.arguments,
        })
      }
      case undefined: {
        const { callId, response: open } = asked.get(id) ?? {}
        response.writeHead(202).end()
        const told = JSON.stringify(result ?? { error })
        if (open !== undefined)
          sendEvent(open, { id: callId, result: { content: [{ type: 'text', text: told }] } }).end()
        return
      }
      default:
        return id === undefined
          ? response.writeHead(202).end()
          : reply({ error: { code: -32601, message: 'No.' } })
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function sendEvent(response: ServerResponse, message: object): ServerResponse {
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  return response
}

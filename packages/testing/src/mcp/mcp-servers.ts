import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { AuthorizationServer } from './authorization-server.ts'
import { reactToMcp } from './mcp-script.ts'

/** Returns how to start the scripted MCP server as a program. */
export function mcpProgram(): { readonly command: string; readonly args: readonly string[] } {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL('./mcp-stdio-process.ts', import.meta.url))],
  }
}

export interface McpHttpServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** How many calls of tools there were so far. */
  readonly calls: number
  /** The headers of all requests so far. */
  readonly authorizations: readonly (string | undefined)[]
}

export interface McpHttpOptions {
  readonly port?: number
  /** The authorization server whose tokens it wants. Default: it wants none. */
  readonly authorizedBy?: Pick<AuthorizationServer, 'url' | 'personOf'>
}

/** Starts the scripted MCP server over HTTP ("streamable HTTP"). */
export async function startMcpHttpServer({
  port = 0,
  authorizedBy,
}: McpHttpOptions = {}): Promise<McpHttpServer> {
  const authorizations: (string | undefined)[] = []
  let calls = 0
  const server = createServer(async (incoming, response) => {
    const { authorization, host } = incoming.headers
    if (incoming.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      const described = { resource: `http://${host}/mcp`, authorization_servers: [authorizedBy?.url] }
      return response.writeHead(authorizedBy === undefined ? 404 : 200).end(JSON.stringify(described))
    }
    authorizations.push(authorization)
    const person = authorizedBy?.personOf(authorization)
    if (authorizedBy !== undefined && person === undefined) {
      return response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
    }
    if (incoming.method !== 'POST') return response.writeHead(405).end()
    const body = await text(incoming)
    if (body.includes('"tools/call"')) calls += 1
    const reaction = reactToMcp(body, { person, authorization })
    if (reaction.type === 'break-off') return incoming.socket.destroy()
    if (reaction.type === 'respond') {
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(reaction.message))
    }
    // A notification gets 202. A call without a response stays open.
    return body.includes('"id"') ? undefined : response.writeHead(202).end()
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${actualPort}/mcp`,
    port: actualPort,
    authorizations,
    get calls() {
      return calls
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

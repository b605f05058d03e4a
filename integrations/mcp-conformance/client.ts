import type { McpSignInStore } from '@throughline/agents/internal'
import {
  type McpCaller,
  McpLink,
  McpSignInNeeded,
  PersonalLinks,
  questionFrom,
  resultOf,
} from '@throughline/agents/testing'
import { isOwnerId } from '@throughline/protocol'
import { z } from 'zod'

// The program that the conformance suite runs as "the client": it does with Throughline's own connections what an agent does that
// calls the tools of a server. A person signs in by opening the address that Throughline gives them.

const url = z.url().parse(process.argv.at(-1))
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = z
  .looseObject({
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    issuer: z.string().optional(),
    toolCalls: z
      .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }))
      .optional(),
  })
  .parse(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'))
const ownerId = 'local'
if (!isOwnerId(ownerId)) throw new TypeError('Not an owner id.')
const timeouts = { connectTimeoutMs: 15_000, callTimeoutMs: 20_000 }

if (scenario.startsWith('auth/')) await useWithSignIn(ownerId)
else await useAsItIs()

async function useAsItIs(): Promise<void> {
  const link = new McpLink({ url, tools: ['*'] }, timeouts)
  await callTools(() => link.connect())
  await link.close()
}

async function useWithSignIn(owner: typeof ownerId & Parameters<PersonalLinks['status']>[0]): Promise<void> {
  const links = new PersonalLinks(
    'tested',
    { url, tools: [], oauth: oauth() },
    { ...timeouts, signIns: inMemory() },
  )
  const signIn = async () => {
    const address = await links.begin(owner, 'http://localhost:3000/connected/tested')
    const sentBack = await fetch(address, { redirect: 'manual' })
    const { searchParams } = new URL(sentBack.headers.get('location') ?? '', address)
    const given = (name: string) => searchParams.get(name) ?? undefined
    const state = given('state') ?? ''
    await links.finish(owner, { state, code: given('code'), issuer: given('iss'), error: given('error') })
  }
  // A person signs in when a call says that they have to, and gives up when that does not help.
  for (let signIns = 0; ; signIns += 1) {
    try {
      await callTools(() => links.connectFor(owner))
      break
    } catch (error) {
      if (!(error instanceof McpSignInNeeded) || signIns === 3) throw error
      await signIn()
    }
  }
  await links.close()
}

/** What an operator configures who has registered Throughline, or who publishes a document about it. */
function oauth() {
  const { client_id: clientId, client_secret: clientSecret, issuer } = context
  return clientId === undefined
    ? { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
    : { clientId, clientSecret, issuer }
}

async function callTools(connect: () => Promise<McpCaller>): Promise<void> {
  const { tools } = await connect()
  const calls = context.toolCalls ?? tools.map(({ name }) => ({ name, arguments: exampleFor(name, tools) }))
  for (const { name, arguments: input = {} } of calls) {
    const server = await connect()
    // The person accepts what is proposed.
    const ask = async (params: Parameters<typeof questionFrom>[0]) =>
      resultOf(questionFrom(params), { approved: true })
    await server.call({ name, input, signal: undefined, ask }).catch((error: unknown) => {
      // A model reads that a call has failed, and goes on with the next one.
      if (error instanceof McpSignInNeeded) throw error
      console.error(error)
    })
  }
}

function exampleFor(name: string, tools: McpCaller['tools']): Readonly<Record<string, unknown>> {
  // This tool compares a schema with the one that the server has sent.
  if (name === 'json_schema_echo') return { schema: tools.find(tool => tool.name !== name)?.inputSchema }
  return name.includes('add') ? { a: 5, b: 3 } : {}
}

function inMemory(): McpSignInStore {
  let saved: string | undefined
  return {
    read: async () => saved,
    async replace(_, { previous, body }) {
      if (previous !== saved) return false
      saved = body
      return true
    },
  }
}

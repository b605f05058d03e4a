import { asChatError, errorFrom } from '@throughline/client'
import { isRecord } from '@throughline/protocol'
import { CommandError } from '../command-error.ts'
import type { ServerAddress } from '../server-address.ts'

/** An agent as the server lists it. */
export interface ServerAgent {
  readonly name: string
  readonly displayName: string
}

/**
 * Returns the agents of a server; the first one answers by default. Throws a `CommandError` when it cannot be reached.
 */
export async function serverAgents({ url, headers }: ServerAddress): Promise<readonly ServerAgent[]> {
  const response = await ask(`${url}/api/agents`, headers)
  if (response.status === 401)
    throw new CommandError(`${url} needs a token. Give it with THROUGHLINE_TOKEN or --token.`)
  if (!response.ok) throw new CommandError(`${url}: ${(await errorFrom(response)).message}`)
  const body: unknown = await response.json().catch(() => undefined)
  const agents = isRecord(body) ? body['agents'] : undefined
  if (Array.isArray(agents)) return agents.filter(isServerAgent)
  throw new CommandError(`${url} is no Throughline server. Name another one with --url.`)
}

/**
 * Returns the agent with a name; the first one when no name is given. A name such as `user::Ann` stands for a person.
 * Throws a `CommandError` when there is no such agent.
 */
export function chosenAgent(
  agents: readonly ServerAgent[],
  name: string | undefined,
): ServerAgent | undefined {
  const found = name === undefined ? agents[0] : agents.find(agent => agent.name === name)
  if (found !== undefined || name === undefined) return found
  if (name.startsWith('user::')) return { name, displayName: name.slice('user::'.length) }
  throw new CommandError(
    `There is no agent "${name}". The server has ${agents.map(agent => agent.name).join(', ')}.`,
  )
}

async function ask(address: string, headers: ServerAddress['headers']): Promise<Response> {
  try {
    return await fetch(address, { headers })
  } catch (error) {
    const { origin } = new URL(address)
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ''
    throw new CommandError(
      `${origin} cannot be reached${cause || `: ${asChatError(error).message}`}. Start a server with "throughline serve", or name another one with --url.`,
    )
  }
}

function isServerAgent(value: unknown): value is ServerAgent {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['displayName'] === 'string'
}

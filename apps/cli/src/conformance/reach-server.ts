import { isRecord } from '@throughline/protocol'
import { type CheckedServer, describeResponse, NoResponse } from './checked-server.ts'

/** What the first request has found: the names of the agents, or why there is nothing to check. */
export type Reached =
  | { readonly type: 'reached'; readonly agents: readonly string[] }
  | { readonly type: 'not-reached'; readonly why: string }

/** Finds out whether there is a server that can be checked. */
export async function reachServer(server: CheckedServer): Promise<Reached> {
  try {
    const { status, headers, text, body } = await server.request('/api/agents')
    const agents = isRecord(body) ? body['agents'] : undefined
    if (status === 200 && Array.isArray(agents))
      return {
        type: 'reached',
        agents: agents.flatMap(agent => (isRecord(agent) ? String(agent['name']) : [])),
      }
    const target = headers.get('location')
    if (target !== null) return { type: 'not-reached', why: `it redirects to ${target}. Use that address.` }
    if (status === 401)
      return { type: 'not-reached', why: 'it needs a token. Give it with THROUGHLINE_TOKEN or --token.' }
    if (isRecord(body) && typeof body['code'] === 'string')
      return { type: 'not-reached', why: describeResponse(status, text) }
    return { type: 'not-reached', why: `${status}. This is no Throughline server, or it has a base path.` }
  } catch (error) {
    if (error instanceof NoResponse) return { type: 'not-reached', why: error.why }
    throw error
  }
}

import { type Limits, namedAgent } from '@throughline/agents'
import { fromLangGraph } from '@throughline/agents/langgraph'
import type { Message } from '@throughline/protocol'
import { agentSystem } from '@throughline/server'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'

type Graph = Parameters<typeof fromLangGraph>[0]
type Options = Parameters<typeof fromLangGraph>[1]

/** Starts a server on which people talk to a graph. */
export function serve(
  graph: Graph,
  options: Options = {},
  limits: Partial<Limits> = {},
): Promise<TestServer> {
  const agents = [namedAgent('support', fromLangGraph(graph, options))]
  return startTestServer({ agents, system: agentSystem({ limits }) })
}

/** Asks a graph on a server, and returns what the server has saved. */
export async function answerOf(graph: Graph, options: Options = {}): Promise<Message> {
  await using server = await serve(graph, options)
  await (await ask(server.url)).text()
  return await loadAnswer(server.url)
}

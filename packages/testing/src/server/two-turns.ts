import { recordingAgent } from '../agent/recording-agent.ts'
import { answerTo } from '../http/branch-requests.ts'
import { startTestServer } from './test-server.ts'

/** Starts a server with a chat that has two questions, `q1` and `q2`, and their answers. */
export async function startTwoTurns() {
  const { agent, given } = recordingAgent()
  const server = await startTestServer({ agents: [agent] })
  const a1 = await answerTo(server.url, { messageId: 'q1' })
  const a2 = await answerTo(server.url, { messageId: 'q2' })
  return {
    server,
    url: server.url,
    given,
    a1,
    a2,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveBench } from '../../child.ts'
import { type AnswerPlan, planIn } from '../answer-plan.ts'
import { probeHandlers } from './probe.ts'

type Respond = (plan: AnswerPlan, response: ServerResponse) => Promise<void>

/** Starts a server that finds a plan in the body of each request, and responds with the answer. */
export async function listenForPlans(respond: Respond): Promise<void> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await respond(planIn(await text(request)), response)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(error => response.destroy(error))
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  serveBench(`http://127.0.0.1:${port}`, {
    ...probeHandlers(),
    async close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { serveHttp } from '../../child.ts'
import { type AnswerPlan, planIn } from '../answer-plan.ts'
import { probeHandlers } from './probe.ts'

type Respond = (plan: AnswerPlan, response: ServerResponse, body: string) => Promise<void>

/** Starts a server that finds a plan in the body of each request, and responds with the answer. */
export async function listenForPlans(respond: Respond): Promise<void> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    await respond(planIn(body), response, body)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(error => response.destroy(error))
  })
  await serveHttp(server, probeHandlers())
}

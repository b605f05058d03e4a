import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createEpoch, encodeSse, formatPosition } from '@throughline/protocol'
import type { AnswerPlan } from '../answer-plan.ts'
import { dueDeltas } from './due-deltas.ts'
import { listenForPlans } from './listen-for-plans.ts'

// The least that a server can do: node:http writes each delta when it is due, as the same SSE event as ours.
await listenForPlans(respond)

async function respond(plan: AnswerPlan, response: ServerResponse): Promise<void> {
  const epoch = createEpoch()
  let seq = 0
  const event = (chunk: object) => {
    seq += 1
    return encodeSse({ id: formatPosition({ epoch, seq }), data: JSON.stringify(chunk) })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.write(event({ type: 'start' }))
  for await (const delta of dueDeltas(plan)) {
    const hasRoom = response.write(event({ type: 'text-delta', id: 'text-1', delta }))
    if (!hasRoom) await once(response, 'drain')
  }
  response.write(event({ type: 'finish' }))
  response.end('data: [DONE]\n\n')
}

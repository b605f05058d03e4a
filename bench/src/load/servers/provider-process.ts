import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { encodeSse } from '@throughline/protocol'
import type { AnswerPlan } from '../answer-plan.ts'
import { dueDeltas } from './due-deltas.ts'
import { listenForPlans } from './listen-for-plans.ts'

const head = { id: 'chatcmpl-load', created: 1_700_000_000, model: 'load' }

// A provider of models with OpenAI's chat completions. It writes the deltas of the plan that it finds in the question.
await listenForPlans(respond)

async function respond(plan: AnswerPlan, response: ServerResponse, body: string): Promise<void> {
  if (!body.includes('"stream":true')) return respondTitle(response)
  const event = (fields: object) =>
    encodeSse({ data: JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields }) })
  const choice = (delta: object, reason: string | null) =>
    event({ choices: [{ index: 0, delta, finish_reason: reason }] })
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(choice({ role: 'assistant', content: '' }, null))
  for await (const content of dueDeltas(plan))
    if (!response.write(choice({ content }, null))) await once(response, 'drain')
  response.write(choice({}, 'stop'))
  const usage = { prompt_tokens: 10, completion_tokens: plan.deltas, total_tokens: plan.deltas + 10 }
  response.write(event({ choices: [], usage }))
  response.end('data: [DONE]\n\n')
}

/** The server also asks the model for the title of each new chat, in one piece. */
function respondTitle(response: ServerResponse): void {
  const message = { role: 'assistant', content: 'A title' }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    }),
  )
}

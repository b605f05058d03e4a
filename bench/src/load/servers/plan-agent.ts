import type { Agent, AgentEvent, AgentRequest } from '@throughline/agents'
import { type Message, textOf } from '@throughline/protocol'
import { planIn } from '../answer-plan.ts'
import { dueDeltas } from './due-deltas.ts'

/** Writes the deltas of the plan that is in the question. After a crash it goes on with the next delta. */
export const planAgent: Agent = { name: 'plan', displayName: 'Plan', continues: true, run: play }

async function* play({ messages, answerSoFar }: AgentRequest): AsyncGenerator<AgentEvent> {
  const last = messages.at(-1)
  const plan = planIn(last === undefined ? '' : textOf(last))
  const written = answerSoFar === undefined ? 0 : charsOf(answerSoFar) / plan.chars
  yield { type: 'step-start' }
  for await (const text of dueDeltas(plan, written)) yield { type: 'text-delta', text }
  yield { type: 'step-end' }
  yield { type: 'finish', finishReason: 'stop' }
}

function charsOf({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}

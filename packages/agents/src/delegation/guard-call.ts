import type { AgentFrame } from '../run/agent-frame.ts'
import type { SubAgent } from './sub-agent.ts'

export type RefusalCode = 'RECURSION' | 'MAX_DEPTH' | 'NOT_ALLOWED' | 'NOT_FOUND' | 'DISABLED' | 'LIMIT'

/** A delegation that did not happen, in a form the model can read and act on. */
export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly message: string
}

export type Guarded =
  /** `number` counts the sub-agents of the run, from 1. */
  | { readonly type: 'allowed'; readonly subAgent: SubAgent; readonly number: number }
  | { readonly type: 'refused'; readonly refusal: Refusal }

/** Whether an agent may hand a task to another one, and why not. */
export async function guardCall(caller: AgentFrame, name: string): Promise<Guarded> {
  const { agent, run, allowedSubAgents, counts } = caller
  const { limits } = run
  if (agent.path.includes(name)) {
    return refused(
      'RECURSION',
      `"${name}" is already at work on this task (${agent.path.join(' → ')}). Do it yourself.`,
    )
  }
  const maxDepth = Math.min(caller.maxDepth ?? limits.defaultDepth, limits.maxDepth)
  if (agent.depth >= maxDepth) {
    return refused('MAX_DEPTH', `Tasks may be handed on ${maxDepth} times at most. Do it yourself.`)
  }
  if (!allowedSubAgents.includes('*') && !allowedSubAgents.includes(name)) {
    const whom = allowedSubAgents.length === 0 ? 'nobody' : allowedSubAgents.join(', ')
    return refused('NOT_ALLOWED', `"${agent.name}" may not ask "${name}"; it may ask ${whom}.`)
  }
  const subAgent = await run.subAgents.find(name)
  if (subAgent === undefined) return refused('NOT_FOUND', `There is no agent "${name}".`)
  if (!subAgent.isEnabled) return refused('DISABLED', `The agent "${name}" is switched off.`)
  // Nothing is awaited between here and the count, so parallel calls cannot all slip under the limit.
  if (counts.children >= limits.maxChildrenPerAgent || run.counts.children >= limits.maxChildrenPerRun) {
    return refused('LIMIT', 'No more agents may be asked in this answer. Work with what you have.')
  }
  counts.children += 1
  run.counts.children += 1
  return { type: 'allowed', subAgent, number: run.counts.children }
}

export function refusal(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message }
}

function refused(code: RefusalCode, message: string): Guarded {
  return { type: 'refused', refusal: refusal(code, message) }
}

import { serverSentence } from '@throughline/protocol/internal'
import type { Agent } from '../agent/agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'

/** Why a delegation was refused. docs/guides/add-an-agent.md explains the codes. */
export type RefusalCode = 'RECURSION' | 'MAX_DEPTH' | 'NOT_ALLOWED' | 'NOT_FOUND' | 'LIMIT'

/** A delegation that did not happen. The model reads it and can find another way. */
export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly message: string
}

/** A delegation that may begin. */
export interface AllowedCall {
  readonly type: 'allowed'
  /** The agent that is asked. */
  readonly agent: Agent
  /** Its number among the sub-agents of the run, from 1. */
  readonly number: number
}

/** The decision on a delegation. */
export type GuardedCall = AllowedCall | RefusedCall

interface RefusedCall {
  readonly type: 'refused'
  readonly refusal: Refusal
}

/** Decides whether an agent may delegate to the agent of this name. An allowed call counts at once. */
export async function guardCall(caller: AgentFrame, name: string): Promise<GuardedCall> {
  const { run, counts } = caller
  const { limits } = run
  const found = await findAllowed(caller, name)
  if (found.type === 'refused') return found
  // Nothing is awaited between this check and the count, so parallel calls cannot exceed the limit together.
  if (counts.subAgents >= limits.maxChildrenPerAgent || run.counts.subAgents >= limits.maxChildrenPerRun) {
    return refused('LIMIT', serverSentence('agents-used-up'))
  }
  counts.subAgents += 1
  run.counts.subAgents += 1
  return { ...found, number: run.counts.subAgents }
}

/** Finds the agent of this name, if an agent may delegate to it. Counts nothing. */
export async function findAllowed(
  caller: AgentFrame,
  name: string,
): Promise<Omit<AllowedCall, 'number'> | RefusedCall> {
  const { agent, run, allowedSubAgents } = caller
  const { limits } = run
  if (agent.path.includes(name)) {
    const path = agent.path.join(' → ')
    return refused('RECURSION', serverSentence('agent-at-work', { agent: name, path }))
  }
  const maxDepth = Math.min(caller.maxDepth ?? limits.defaultDepth, limits.maxDepth)
  if (agent.depth >= maxDepth) {
    return refused('MAX_DEPTH', serverSentence('agent-too-deep', { count: maxDepth }))
  }
  if (!allowedSubAgents.includes('*') && !allowedSubAgents.includes(name)) {
    const allowed = allowedSubAgents.length === 0 ? 'nobody' : allowedSubAgents.join(', ')
    const values = { caller: agent.name, agent: name, allowed }
    return refused('NOT_ALLOWED', serverSentence('agent-not-allowed', values))
  }
  const found = await run.subAgents.find(name)
  // One that is switched off does not exist for models. Its owner sees on the page that it is off.
  if (found === undefined || found.isEnabled === false)
    return refused('NOT_FOUND', serverSentence('agent-unknown', { agent: name }))
  return { type: 'allowed', agent: found }
}

/** Returns a refusal as the model reads it. */
export function refusal(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, message }
}

function refused(code: RefusalCode, message: string): RefusedCall {
  return { type: 'refused', refusal: refusal(code, message) }
}

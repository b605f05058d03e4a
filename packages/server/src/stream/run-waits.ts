import { stepDataSchema } from '@throughline/agents/internal'
import { type Chunk, type Entry, isEndChunk, type OutputSource, outputRequestIn } from '@throughline/protocol'

/** A tool call that waits for something from outside. */
export interface AwaitedCall {
  /** What it waits for: a person's decision, or its output. */
  readonly kind: 'approval' | 'output'
  /** The id of its record. */
  readonly id: string
  /** Who gives the output, if that is what it waits for. */
  readonly from?: OutputSource | undefined
  readonly toolCallId: string
  /** The message of the agent that made the call. */
  readonly messageId: string
  readonly toolName: string
  readonly input: unknown
  /** When it began to wait: the log's clock, in milliseconds. */
  readonly at: number
}

/** What the agents of a run are busy with. */
export interface RunWaits {
  /** What each agent at work does, by the id of its message. */
  readonly agents: Map<string, AgentWork>
}

interface AgentWork {
  /** Text and reasoning parts that have begun and not ended. */
  readonly openParts: number
  /** Tool calls without a result, by their ids. */
  readonly calls: Map<string, OpenCall>
  /** The calls that wait for something from outside, by the ids of their records. */
  readonly asked: Map<string, string>
  /** The ids of the calls whose steps have not ended. A step ends right after its call. */
  readonly steps: Set<string>
  /** The call that a sub-agent works for: `messageId` and `toolCallId` with a blank between them. */
  readonly parentCall: string | undefined
}

interface OpenCall {
  readonly toolName: string
  readonly input: unknown
  /** Set while it waits for something from outside. */
  readonly awaited?: AwaitedCall | undefined
}

/** The state at the beginning of a run. */
export const noWaits: RunWaits = { agents: new Map() }

/**
 * Returns what the agents are busy with after one more entry. Deltas change nothing and cost nothing.
 *
 * The state before must not be used afterwards: its maps become those of the next one. Copying them for each entry would
 * cost the square of the calls that an agent makes in one step.
 */
export function foldWaits(before: RunWaits, entry: Entry): RunWaits {
  const { messageId, chunk } = entry
  if (chunk.type === 'start') {
    const parent = chunk.messageMetadata?.parent
    const parentCall = parent && `${parent.messageId} ${parent.toolCallId}`
    return withAgent(before, messageId, { ...idle(), parentCall })
  }
  const agent = before.agents.get(messageId)
  if (agent === undefined) return before
  if (isEndChunk(chunk)) {
    before.agents.delete(messageId)
    return { ...before }
  }
  const work = workAfter(agent, entry)
  return work === agent ? before : withAgent(before, messageId, work)
}

/** Returns the calls for which a run waits; none while one of its agents does anything else than wait. */
export function awaitedCalls({ agents }: RunWaits): readonly AwaitedCall[] {
  const delegated = new Set([...agents.values()].map(({ parentCall }) => parentCall))
  const awaited: AwaitedCall[] = []
  for (const [messageId, { openParts, calls, asked, steps }] of agents) {
    // Each call has to wait, or belong to a sub-agent. Whether there are too many of them is known without a look at each.
    if (calls.size > asked.size + agents.size) return []
    // An agent without an open call is waiting for its model.
    if (openParts > 0 || calls.size === 0 || [...steps].some(id => !calls.has(id))) return []
    for (const [toolCallId, call] of calls) {
      if (call.awaited !== undefined) awaited.push(call.awaited)
      else if (!delegated.has(`${messageId} ${toolCallId}`)) return []
    }
  }
  return awaited
}

function workAfter(agent: AgentWork, { messageId, at, chunk }: Entry): AgentWork {
  const { calls } = agent
  switch (chunk.type) {
    case 'text-start':
    case 'reasoning-start':
      return { ...agent, openParts: agent.openParts + 1 }
    case 'text-end':
    case 'reasoning-end':
      return { ...agent, openParts: Math.max(0, agent.openParts - 1) }
    case 'reset-step':
      return { ...agent, ...idle() }
    case 'data-step':
      return { ...agent, steps: stepsAfter(agent.steps, 'data' in chunk ? chunk.data : undefined) }
    case 'tool-input-start':
      return withCall(agent, chunk.toolCallId, { toolName: chunk.toolName, input: undefined })
    case 'tool-input-available':
      return withCall(agent, chunk.toolCallId, { toolName: chunk.toolName, input: chunk.input })
    case 'tool-approval-request':
      return waiting(agent, chunk.toolCallId, { kind: 'approval', id: chunk.approvalId, messageId, at })
    case 'data-output-request': {
      const request = outputRequestIn(chunk)
      if (request === undefined) return agent
      const { toolCallId, requestId: id, from } = request
      return waiting(agent, toolCallId, { kind: 'output', id, from, messageId, at })
    }
    case 'tool-approval-response': {
      const toolCallId = agent.asked.get(chunk.approvalId)
      const call = toolCallId === undefined ? undefined : calls.get(toolCallId)
      if (toolCallId === undefined || call === undefined) return agent
      agent.asked.delete(chunk.approvalId)
      return withCall(agent, toolCallId, { ...call, awaited: undefined })
    }
    default:
      return endsCall(chunk) ? withoutCall(agent, chunk.toolCallId) : agent
  }
}

function waiting(
  agent: AgentWork,
  toolCallId: string,
  awaited: Omit<AwaitedCall, 'toolCallId' | 'toolName' | 'input'>,
): AgentWork {
  const call = agent.calls.get(toolCallId)
  if (call === undefined) return agent
  const { toolName, input } = call
  agent.asked.set(awaited.id, toolCallId)
  return withCall(agent, toolCallId, { ...call, awaited: { ...awaited, toolCallId, toolName, input } })
}

function stepsAfter(steps: Set<string>, data: unknown): Set<string> {
  const step = stepDataSchema.safeParse(data).data
  if (step === undefined) return steps
  if (step.status === 'running') steps.add(step.toolCallId)
  else steps.delete(step.toolCallId)
  return steps
}

/** Whether a tool call has ended with this chunk. */
export function endsCall(chunk: Chunk): chunk is Chunk & { readonly toolCallId: string } {
  switch (chunk.type) {
    case 'tool-output-available':
      return chunk.preliminary !== true
    case 'tool-input-error':
    case 'tool-output-error':
    case 'tool-output-denied':
      return true
    default:
      return false
  }
}

function idle(): Omit<AgentWork, 'parentCall'> {
  return { openParts: 0, calls: new Map(), asked: new Map(), steps: new Set() }
}

function withAgent(before: RunWaits, messageId: string, work: AgentWork): RunWaits {
  // Every run begins with the same empty state, which stays empty.
  const agents = before === noWaits ? new Map() : before.agents
  return { agents: agents.set(messageId, work) }
}

function withCall(agent: AgentWork, toolCallId: string, call: OpenCall): AgentWork {
  const before = agent.calls.get(toolCallId)?.awaited
  // Asked again for the same call, or its input has come once more.
  if (before !== undefined && before.id !== call.awaited?.id) agent.asked.delete(before.id)
  agent.calls.set(toolCallId, call)
  return { ...agent }
}

function withoutCall(agent: AgentWork, toolCallId: string): AgentWork {
  const awaited = agent.calls.get(toolCallId)?.awaited
  if (awaited !== undefined) agent.asked.delete(awaited.id)
  agent.calls.delete(toolCallId)
  return { ...agent }
}

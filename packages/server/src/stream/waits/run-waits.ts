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
  readonly agents: ReadonlyMap<string, AgentWork>
}

interface AgentWork {
  /** Text and reasoning parts that have begun and not ended. */
  readonly openParts: number
  /** Tool calls without a result, by their ids. */
  readonly calls: ReadonlyMap<string, OpenCall>
  /** The ids of the calls whose steps have not ended. A step ends right after its call. */
  readonly steps: ReadonlySet<string>
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

/** Returns what the agents are busy with after one more entry. Deltas change nothing and cost nothing. */
export function foldWaits(before: RunWaits, entry: Entry): RunWaits {
  const { messageId, chunk } = entry
  if (chunk.type === 'start') {
    const parent = chunk.messageMetadata?.parent
    const parentCall = parent && `${parent.messageId} ${parent.toolCallId}`
    return withAgent(before, messageId, { openParts: 0, calls: new Map(), steps: new Set(), parentCall })
  }
  const agent = before.agents.get(messageId)
  if (agent === undefined) return before
  if (isEndChunk(chunk)) return { agents: without(before.agents, messageId) }
  const work = workAfter(agent, entry)
  return work === agent ? before : withAgent(before, messageId, work)
}

/** Returns the calls for which a run waits; none while one of its agents does anything else than wait. */
export function awaitedCalls({ agents }: RunWaits): readonly AwaitedCall[] {
  const delegated = new Set([...agents.values()].map(({ parentCall }) => parentCall))
  const awaited: AwaitedCall[] = []
  for (const [messageId, { openParts, calls, steps }] of agents) {
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
      return { ...agent, openParts: 0, calls: new Map(), steps: new Set() }
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
      const [toolCallId, call] = [...calls].find(([, { awaited }]) => awaited?.id === chunk.approvalId) ?? []
      if (toolCallId === undefined || call === undefined) return agent
      return withCall(agent, toolCallId, { ...call, awaited: undefined })
    }
    default:
      return endsCall(chunk) ? { ...agent, calls: without(calls, chunk.toolCallId) } : agent
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
  return withCall(agent, toolCallId, { ...call, awaited: { ...awaited, toolCallId, toolName, input } })
}

function stepsAfter(before: ReadonlySet<string>, data: unknown): ReadonlySet<string> {
  const step = stepDataSchema.safeParse(data).data
  if (step === undefined) return before
  const steps = new Set(before)
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

function withAgent({ agents }: RunWaits, messageId: string, work: AgentWork): RunWaits {
  return { agents: new Map(agents).set(messageId, work) }
}

function withCall(agent: AgentWork, toolCallId: string, call: OpenCall): AgentWork {
  return { ...agent, calls: new Map(agent.calls).set(toolCallId, call) }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

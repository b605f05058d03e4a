import { AsyncLocalStorage } from 'node:async_hooks'
import type { AgentInfo, MessageId } from '@throughline/protocol'
import type { LanguageModel } from 'ai'
import type { MessageWriter } from '../message/message-writer.ts'
import type { Mode } from './request-context.ts'
import type { RunScope } from './run-scope.ts'
import type { UsageLedger } from './usage-ledger.ts'

/**
 * What one agent of a run works in: its message, its tools and its limits. Every sub-agent gets a frame of its own, so
 * sub-agents that work in parallel do not disturb each other.
 */
export interface AgentFrame {
  /** What all agents of the run share. */
  readonly run: RunScope
  /** Who works in this frame. `path` is the lineage: the names from the master down to this agent. */
  readonly agent: AgentInfo
  /** The id of the message that this agent writes. */
  readonly messageId: MessageId
  /** How much the agent may do. */
  readonly mode: Mode
  /** The model of this agent. Sub-agents without a model of their own use it, too. */
  readonly model: LanguageModel | undefined
  /** The keys of the tools it has. Its sub-agents have no others. */
  readonly toolKeys: ReadonlySet<string>
  /** The names of the agents it may delegate to; `*` means every agent. */
  readonly allowedSubAgents: readonly string[]
  /** The smallest `maxDepth` in the lineage; `undefined` when no agent of it has one. */
  readonly maxDepth: number | undefined
  /** Writes the agent's message. */
  readonly writer: MessageWriter
  /** Adds up what the agent and its sub-agents use. */
  readonly ledger: UsageLedger
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal
  /** In a tool: the id of the tool's call as it stands on the stream. */
  readonly callId?: string | undefined
  /** In a tool whose call is repeated after a crash: the approval that an earlier attempt asked for. */
  readonly earlierApproval?: EarlierApproval | undefined
  /** The work of its sub-agents. Its own message ends after all of it has settled. */
  readonly delegated: Set<Promise<unknown>>
  /** How many sub-agents it has asked. */
  readonly counts: { subAgents: number }
}

/** A request for approval that was made before the process of the run died. */
export interface EarlierApproval {
  readonly id: string
  /** True when a person has approved it. Otherwise nobody has decided yet. */
  readonly isApproved: boolean
}

const frames = new AsyncLocalStorage<AgentFrame>()

/** Returns the frame in which this code runs. Agents and tools call it. Throws outside of a run. */
export function currentFrame(): AgentFrame {
  const frame = frames.getStore()
  if (frame === undefined)
    throw new Error(
      'This works only inside a run. Call it in the code of an agent or of a tool, while that runs.',
    )
  return frame
}

/** Returns the frame in which this code runs; `undefined` outside of a run. */
export function findFrame(): AgentFrame | undefined {
  return frames.getStore()
}

/** Calls `work` so that `currentFrame()` returns this frame in it, also after an `await`. */
export function inFrame<Result>(frame: AgentFrame, work: () => Result): Result {
  return frames.run(frame, work)
}

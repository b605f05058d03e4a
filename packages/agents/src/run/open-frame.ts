import {
  type AgentInfo,
  type Chunk,
  finishStep,
  type MessageId,
  type MessageRecord,
  type StepUsage,
  stepUsageOf,
} from '@throughline/protocol'
import type { LanguageModel } from 'ai'
import type { Agent } from '../agent/agent.ts'
import { admission } from '../message/admit-event.ts'
import { MessageWriter } from '../message/message-writer.ts'
import type { AgentFrame } from './agent-frame.ts'
import { type Mode, modeFrom, narrowed } from './request-context.ts'
import type { RunScope } from './run-scope.ts'
import { subAgentToolKey } from './tool-factory-registry.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** A message whose process died while an agent wrote it, as far as it counts for the one that goes on. */
export interface CutMessage {
  /** The message as the log has it. Nothing in it is being written. Calls may have no result. */
  readonly record: MessageRecord
  /** Whether a step of the message has not ended. */
  readonly isInStep: boolean
  /** Whether only the end of the message is missing: the model had said everything. */
  readonly isComplete: boolean
  /** How many sub-agents the agent has asked. */
  readonly subAgentCount: number
  /** How long the agent has worked, in milliseconds. Time in which no process had the run does not count. */
  readonly workedMs: number
  /** What each finished step of the agent, and of its sub-agents, has used. */
  readonly usage: readonly StepUsage[]
}

/** What the frame of a master needs. */
export interface MasterFrameOptions {
  readonly messageId: MessageId
  readonly ledger: UsageLedger
  readonly signal: AbortSignal
  /** The model that the person has chosen for this answer. Default: the model of the agent. */
  readonly model?: LanguageModel | undefined
  /** The beginning of the answer, when its run goes on after a crash. */
  readonly cut?: CutMessage | undefined
}

/** Opens the frame of the agent that a person talks to. Its mode comes from the request. */
export function openMasterFrame(run: RunScope, agent: Agent, options: MasterFrameOptions): AgentFrame {
  return openFrame(run, agent, { ...options, mode: modeFrom(run.context) })
}

/** What the frame of a sub-agent needs. */
export interface SubAgentFrameOptions {
  readonly messageId: MessageId
  readonly signal: AbortSignal
  /** The mode that the caller asks for. It can only narrow the caller's own. */
  readonly mode?: Mode | undefined
  /** Stands before the ids of the agent's tool calls, so that no two agents of a run use the same id. */
  readonly callPrefix: string
  /** Is called with every chunk of the agent's message. */
  readonly onChunk: (chunk: Chunk) => void
  /** The beginning of the message, when the run goes on after a crash. */
  readonly cut?: CutMessage | undefined
}

/** Opens the frame of an agent that another agent delegates to. It has no more freedom than its caller. */
export function openSubAgentFrame(
  caller: AgentFrame,
  agent: Agent,
  { mode, ...options }: SubAgentFrameOptions,
): AgentFrame {
  return openFrame(caller.run, agent, {
    ...options,
    caller,
    mode: narrowed(caller.mode, mode),
    ledger: caller.ledger.forSubAgent(options.cut?.usage),
  })
}

interface FrameOptions extends MasterFrameOptions {
  readonly mode: Mode
  readonly caller?: AgentFrame
  readonly callPrefix?: string
  readonly onChunk?: (chunk: Chunk) => void
}

function openFrame(run: RunScope, agent: Agent, options: FrameOptions): AgentFrame {
  const { caller, messageId, mode, ledger, signal } = options
  const { allowedSubAgents = [] } = agent
  return {
    run,
    agent: infoOf(agent, caller?.agent),
    messageId,
    mode,
    model: options.model ?? agent.model ?? caller?.model ?? run.defaultModel,
    toolKeys: toolKeysOf(run, agent, { mode, caller }),
    allowedSubAgents,
    maxDepth: smallerOf(caller?.maxDepth, agent.maxDepth),
    writer: writerFor(run, agent, options),
    ledger,
    signal,
    delegated: new Set(),
    counts: { subAgents: options.cut?.subAgentCount ?? 0 },
  }
}

function infoOf({ name, displayName }: Agent, caller: AgentInfo | undefined): AgentInfo {
  return caller === undefined
    ? { kind: 'master', name, displayName, depth: 0, path: [name] }
    : { kind: 'sub', name, displayName, depth: caller.depth + 1, path: [...caller.path, name] }
}

interface ForAgent {
  readonly mode: Mode
  readonly caller: AgentFrame | undefined
}

/**
 * Tools that the request brought are only for the agent that the person asks. A sub-agent never has them. It also has no tool
 * of the server because the request brought one of the same name: its caller does not have that one.
 */
function toolKeysOf(run: RunScope, agent: Agent, { mode, caller }: ForAgent): ReadonlySet<string> {
  const brought = new Set(run.clientTools?.map(({ key }) => key))
  const within = caller && new Set([...caller.toolKeys].filter(key => !brought.has(key)))
  const own = effectiveKeys(run, agent, { mode, within })
  return caller === undefined ? new Set([...own, ...brought]) : own
}

interface KeySelection {
  readonly mode: Mode
  readonly within: ReadonlySet<string> | undefined
}

/** An agent has the tool `subAgent` exactly when it may delegate to somebody, whatever its own list says. */
function effectiveKeys(run: RunScope, agent: Agent, { mode, within }: KeySelection): ReadonlySet<string> {
  const { toolKeys = [], optionalToolKeys = [], allowedSubAgents = [] } = agent
  const keys = [...toolKeys, ...optionalToolKeys, subAgentToolKey]
  const effective = run.tools.effectiveKeys({ keys, mode, within, permitted: run.permittedTools })
  const canDelegate = allowedSubAgents.length > 0
  return canDelegate ? effective : new Set([...effective].filter(key => key !== subAgentToolKey))
}

function writerFor(
  run: RunScope,
  agent: Agent,
  { messageId, ledger, callPrefix = '', onChunk, cut }: FrameOptions,
): MessageWriter {
  return new MessageWriter({
    messageId,
    emit: chunk => {
      onChunk?.(chunk)
      return run.emit(messageId, withStepUsage(chunk, ledger))
    },
    clock: { now: () => run.now(), nextStep: () => nextStep(run) },
    callPrefix,
    admit: admission(run),
    maxCallWaitMs: run.limits.maxCallWaitMs,
    resumes: cut?.record,
    resumesText: agent.continues === 'by-following',
  })
}

/** Adds to the end of a step what the step has used. */
function withStepUsage(chunk: Chunk, ledger: UsageLedger): Chunk {
  return chunk.type === 'finish-step' ? finishStep(ledger.endStep(stepUsageOf(chunk))) : chunk
}

function nextStep(run: RunScope): number {
  run.counts.steps += 1
  return run.counts.steps
}

/** Returns the one that is given when the other one is missing. */
function smallerOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

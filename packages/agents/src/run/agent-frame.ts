import { AsyncLocalStorage } from 'node:async_hooks'
import type { MessageId } from '@throughline/protocol/ids'
import type { AgentInfo } from '@throughline/protocol/metadata'
import type { LanguageModel } from 'ai'
import type { MessageWriter } from '../message/message-writer.ts'
import type { Mode } from './mode.ts'
import type { RunScope } from './run-scope.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** One agent at work on one message. A sub-agent gets a frame of its own, so parallel ones share no stack. */
export interface AgentFrame {
  readonly run: RunScope
  readonly agent: AgentInfo
  readonly messageId: MessageId
  readonly mode: Mode
  /** The model of sub-agents that have none of their own. */
  readonly model: LanguageModel | undefined
  /** The tools it has; whoever it delegates to has no others. */
  readonly toolKeys: ReadonlySet<string>
  /** Whom it may delegate to; `*` is everybody. */
  readonly allowedSubAgents: readonly string[]
  /** The smallest `maxDepth` that an agent from the master down to this one names; nothing when none names one. */
  readonly maxDepth: number | undefined
  readonly writer: MessageWriter
  readonly ledger: UsageLedger
  readonly signal: AbortSignal
  /** Inside a tool: the id of its call as readers see it on the stream. */
  readonly callId?: string | undefined
  /** The sub-agents that are at work for it. Its own message ends after theirs. */
  readonly children: Set<Promise<unknown>>
  readonly counts: { children: number }
}

const frames = new AsyncLocalStorage<AgentFrame>()

/** The agent for whom this code is running: what a tool asks when it needs to know. */
export function currentFrame(): AgentFrame {
  const frame = frames.getStore()
  if (frame === undefined) throw new Error('This tool works only inside a run. Call it through an agent.')
  return frame
}

export function inFrame<Result>(frame: AgentFrame, work: () => Result): Result {
  return frames.run(frame, work)
}

import type { Chunk } from '@throughline/protocol/chunk'
import type { MessageId } from '@throughline/protocol/ids'
import type { AgentInfo } from '@throughline/protocol/metadata'
import type { LanguageModel } from 'ai'
import { admission } from '../message/admit-event.ts'
import { MessageWriter } from '../message/message-writer.ts'
import type { AgentFrame } from './agent-frame.ts'
import type { Mode } from './mode.ts'
import type { RunScope } from './run-scope.ts'
import { subAgentToolKey } from './sub-agent-key.ts'
import type { UsageLedger } from './usage-ledger.ts'

export interface FrameOptions {
  readonly agent: AgentInfo
  readonly messageId: MessageId
  readonly mode: Mode
  readonly model: LanguageModel | undefined
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth: number | undefined
  readonly ledger: UsageLedger
  readonly signal: AbortSignal
  /** Stands before the ids of its tool calls, so that no two agents of a run share one; a master needs none. */
  readonly callPrefix?: string
  /** The tools its caller has; a master has no caller. */
  readonly within?: ReadonlySet<string>
  /** Told of every chunk of its message. */
  readonly onChunk?: (chunk: Chunk) => void
  /** The tools it would like, as soon as it is known what it may do otherwise. */
  readonly toolKeys: (frame: AgentFrame) => readonly string[]
}

/** The frame of an agent that is about to work: its message's writer, and the tools it really gets. */
export function openFrame(run: RunScope, options: FrameOptions): AgentFrame {
  const { within, toolKeys, callPrefix = '', onChunk, ...known } = options
  const draft: AgentFrame = {
    ...known,
    run,
    toolKeys: new Set(),
    writer: new MessageWriter({
      messageId: known.messageId,
      emit: chunk => {
        onChunk?.(chunk)
        return run.emit(known.messageId, chunk)
      },
      clock: { now: () => run.now(), nextStep: () => nextStep(run) },
      callPrefix,
      admit: admission(run),
    }),
    children: new Set(),
    counts: { children: 0 },
  }
  const canDelegate = known.allowedSubAgents.length > 0
  const keys = [...toolKeys(draft), ...(canDelegate ? [subAgentToolKey] : [])]
  const effective = run.tools.effectiveKeys({ keys, mode: known.mode, within, permitted: run.permittedTools })
  return { ...draft, toolKeys: canDelegate ? effective : without(effective, subAgentToolKey) }
}

function nextStep(run: RunScope): number {
  run.counts.steps += 1
  return run.counts.steps
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set([...keys].filter(each => each !== key))
}

import type { Agent, AgentFrame } from '@throughline/agents'
import {
  type ClientTool,
  clientToolFactory,
  noCounts,
  openMasterFrame,
  type RequestContext,
  type RunScope,
  RunStopped,
  UsageLedger,
} from '@throughline/agents/internal'
import { type Chunk, findMessage, messageOf, truncatedIn } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { AgentSystem } from './agent-system.ts'
import type { ApprovalWaits } from './approval-waits.ts'
import { fileKeeper } from './keep-file.ts'
import type { OutputWaits } from './output-waits.ts'
import type { Resumption } from './resumption.ts'
import type { RunLog } from './run-log.ts'
import type { Sender } from './sender.ts'
import { subAgentIds } from './sub-agent-ids.ts'
import { UsageNotes } from './usage-notes.ts'

/** What opening a run needs. */
export interface OpenRunOptions {
  readonly store: Store
  readonly system: AgentSystem
  readonly approvals: ApprovalWaits
  readonly outputs: OutputWaits
  readonly logger: Logger
  readonly now: () => Date
  readonly mayActOutside?: (() => boolean) | undefined
  readonly run: Run
  readonly runLog: RunLog
  readonly agent: Agent
  readonly context: RequestContext
  readonly sender: Sender
  /** The model that the person has chosen. Default: the model of the agent. */
  readonly model?: Agent['model']
  /** Tools that the request brought. */
  readonly clientTools?: readonly ClientTool[] | undefined
  readonly stop: AbortController
  /** Only for a run that goes on after a crash. */
  readonly resumption?: Resumption | undefined
}

/** A run whose agents can work. */
export interface OpenRun extends AsyncDisposable {
  /** The frame of the master. The frames of sub-agents are made from it. */
  readonly frame: AgentFrame
}

/**
 * Makes what the agents of one run share, and the frame in which its master works. Disposing it ends everything that
 * belongs to the run.
 */
export function openRun(options: OpenRunOptions): OpenRun {
  const { store, system, logger, run, agent, stop, now, resumption } = options
  const { limits, prices } = system
  const notes = new UsageNotes({ store, run, logger })
  const cleanUps: (() => Promise<void>)[] = []
  const scope = scopeOf(options, cleanUps)
  const timer = setTimeout(
    () => scope.stop(limitReached('time')),
    limits.maxRunMs - (resumption?.workedMs ?? 0),
  )
  const onAdd = () => {
    notes.save(ledger.total())
    if (ledger.totalTokens > limits.maxTokens) scope.stop(limitReached('tokens'))
  }
  const ledger = new UsageLedger(prices, onAdd, now)
  if (resumption?.usage !== undefined) ledger.restore(resumption.usage)
  const frame = openMasterFrame(scope, agent, {
    messageId: run.answerId,
    ledger,
    signal: stop.signal,
    model: options.model,
    resumes: resumption?.answer,
    subAgentCount: resumption?.subAgentCount,
  })
  return {
    frame,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      // Something may still work for the run, such as a tool that hangs. This tells it that nobody waits for it.
      stop.abort(new RunStopped('interrupted', serverSentence('run-over')))
      await Promise.allSettled(cleanUps.map(cleanUp => cleanUp()))
    },
  }
}

function scopeOf(options: OpenRunOptions, cleanUps: (() => Promise<void>)[]): RunScope {
  const { store, system, approvals, outputs, now, run, runLog, context, sender, stop, resumption } = options
  const counts = resumption?.counts ?? noCounts()
  const streamedInputs = new Set<string>()
  return {
    ownerId: run.ownerId,
    chatId: run.chatId,
    runId: run.id,
    context,
    roles: sender.roles,
    permittedTools: sender.permittedTools,
    counts,
    now,
    tools: system.tools,
    subAgents: system.subAgentsOf(run.ownerId, context),
    limits: system.limits,
    defaultModel: system.defaultModel,
    hideSecrets: system.hideSecrets,
    approvals: approvals.deskOf(run),
    outputs: outputs.deskOf(run),
    clientTools: options.clientTools?.map(clientToolFactory),
    mayActOutside: options.mayActOutside,
    newMessageId: subAgentIds(store, run),
    emit(messageId, chunk) {
      counts.outputBytes += outputBytes(chunk, streamedInputs)
      if (counts.outputBytes > system.limits.maxOutputBytes) stop.abort(limitReached('output'))
      return runLog.emit({ runId: run.id, messageId, chunk })
    },
    flush: () => runLog.flush(),
    async save(messageId) {
      await runLog.flush()
      const record = findMessage(runLog.chat, messageId)
      if (record === undefined) return
      await store.runs.save(run, { message: messageOf(record), runId: run.id, seq: record.firstSeq })
    },
    keepFile: fileKeeper({ store, chat: run, now, signal: stop.signal }),
    onEnd: cleanUp => void cleanUps.push(cleanUp),
    stop: reason => stop.abort(reason),
  }
}

function limitReached(what: 'time' | 'tokens' | 'output'): RunStopped {
  return new RunStopped('limit', serverSentence(`limit-${what}`))
}

/** Returns the size of a tool's input. If the input was cut, everything that the model wrote counts. */
function inputBytes(input: unknown): number {
  return truncatedIn(input)?.bytes ?? Buffer.byteLength(JSON.stringify(input) ?? '')
}

/**
 * Returns how much a chunk adds to the output of the run, in bytes. `streamedInputs` has the calls whose input came
 * in deltas, and was counted there.
 */
function outputBytes(chunk: Chunk, streamedInputs: Set<string>): number {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return Buffer.byteLength(chunk.delta)
    case 'tool-input-delta':
      streamedInputs.add(chunk.toolCallId)
      return Buffer.byteLength(chunk.inputTextDelta)
    case 'tool-input-available':
      return streamedInputs.delete(chunk.toolCallId) ? 0 : inputBytes(chunk.input)
    default:
      return 0
  }
}

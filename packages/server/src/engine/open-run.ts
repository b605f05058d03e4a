import type { Agent, AgentFrame } from '@throughline/agents'
import {
  type ClientTool,
  clientToolFactory,
  noCounts,
  openMasterFrame,
  type RequestContext,
  RunLeft,
  type RunScope,
  RunStopped,
  UsageLedger,
} from '@throughline/agents/internal'
import { LogError, logName } from '@throughline/log'
import {
  type ChatKey,
  type Chunk,
  findMessage,
  isMessageId,
  type MessageId,
  messageOf,
  truncatedIn,
  type Usage,
} from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import { type Run, SqlError, type Store } from '@throughline/store'
import type { Logger } from 'pino'
import { fileKeeper } from '../files/keep-file.ts'
import type { ApprovalWaits } from '../waits/approval-waits.ts'
import type { OutputWaits } from '../waits/output-waits.ts'
import type { AgentSystem } from '../who/agent-system.ts'
import type { Sender } from '../who/sender.ts'
import type { Resumption } from './resumption.ts'
import type { RunLog } from './run-log.ts'

/** What opening a run needs. */
export interface OpenRunOptions {
  readonly store: Store
  readonly system: AgentSystem
  readonly approvals: ApprovalWaits
  readonly outputs: OutputWaits
  readonly logger: Logger
  readonly now: () => Date
  readonly mayActOutside?: ((run: Run) => Promise<boolean>) | undefined
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
    cut: resumption?.cut,
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
  let left: LogError | undefined
  /** Another process has the run, and may not have its log yet. So what this one writes could still get there. */
  function leave(): LogError {
    left = new LogError('fenced', logName(run), `Run ${run.id} belongs to another process. Stop writing.`)
    stop.abort(new RunLeft())
    return left
  }
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
    mayActOutside: options.mayActOutside?.bind(undefined, run),
    newMessageId: subAgentIds(store, run),
    emit(messageId, chunk) {
      if (left !== undefined) return Promise.reject(left)
      counts.outputBytes += outputBytes(chunk, streamedInputs)
      if (counts.outputBytes > system.limits.maxOutputBytes) stop.abort(limitReached('output'))
      return runLog.emit({ runId: run.id, messageId, chunk })
    },
    flush: () => runLog.flush(),
    async save(messageId) {
      await runLog.flush()
      const record = findMessage(runLog.chat, messageId)
      if (record === undefined) return
      const saved = { message: messageOf(record), runId: run.id, seq: record.firstSeq }
      await store.runs.save(run, saved).catch(error => {
        throw isTaken(error) ? leave() : error
      })
    },
    keepFile: fileKeeper({ store, chat: run, now, signal: stop.signal }),
    onEnd: cleanUp => void cleanUps.push(cleanUp),
    stop: reason => stop.abort(reason),
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof SqlError && error.code === 'no-effect'
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

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const randomLetters = 5

/**
 * Makes ids for the messages of sub-agents. They are short, because each of their chunks carries the id on the chunk
 * stream. Short ids may collide, so each one is looked up before it is used.
 */
function subAgentIds(store: Store, chat: ChatKey): () => Promise<MessageId> {
  const given = new Set<MessageId>()
  return async () => {
    for (;;) {
      const id = `s${randomText()}`
      if (!isMessageId(id) || given.has(id)) continue
      given.add(id)
      if ((await store.messages.find(chat, id)) === undefined) return id
    }
  }
}

function randomText(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(randomLetters))
  return Array.from(bytes, byte => letters.charAt(byte % letters.length)).join('')
}

interface UsageNotesOptions {
  readonly store: Pick<Store, 'runs'>
  readonly run: Run
  readonly logger: Logger
}

/**
 * Saves what a run has used after each model call, so that it is not forgotten when the process dies. One write at a
 * time: what comes during a write is saved by the next one.
 */
class UsageNotes {
  readonly #options: UsageNotesOptions
  #next: Usage | undefined
  #isSaving = false

  constructor(options: UsageNotesOptions) {
    this.#options = options
  }

  /** Does not wait until it is saved. A failure is only logged: the run itself finds out when the store fails. */
  save(usage: Usage | undefined): void {
    this.#next = usage
    if (!this.#isSaving) void this.#saveNext()
  }

  async #saveNext(): Promise<void> {
    const { store, run, logger } = this.#options
    this.#isSaving = true
    while (this.#next !== undefined) {
      const text = JSON.stringify(this.#next)
      this.#next = undefined
      try {
        await store.runs.noteUsage(run, text)
      } catch (error) {
        logger.warn({ runId: run.id, err: error }, 'the usage of a run could not be saved yet')
      }
    }
    this.#isSaving = false
  }
}

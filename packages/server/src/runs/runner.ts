import type { Agent } from '@throughline/agents/agent'
import { inFrame } from '@throughline/agents/context/agent-frame'
import type { RequestContext } from '@throughline/agents/context/request-context'
import { describeUnreadable } from '@throughline/agents/describe-failure'
import { type AgentOutcome, runAgent } from '@throughline/agents/run-agent'
import { RunStopped } from '@throughline/agents/run-stopped'
import type { BatchOptions } from '@throughline/log/batch-deltas'
import { LogError, type LogName, logName } from '@throughline/log/log-store'
import { branchUpTo } from '@throughline/protocol/branches'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { EndStatus } from '@throughline/protocol/metadata'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import { SqlError } from '@throughline/store/sql'
import type { Logger } from 'pino'
import type { AgentSystem } from './agent-system.ts'
import { RefusedChunkError } from './append-readable.ts'
import type { ApprovalWaits } from './approval-waits.ts'
import { beginAnswer } from './begin-answer.ts'
import { ChatViewers, type Seat } from './chat-viewers.ts'
import { afterWaiting, type Claim, claimRun, findRun, type Submission } from './claim-run.ts'
import { endAnswer, saveRun } from './end-run.ts'
import { interruptedByMessage, makeWay } from './make-way.ts'
import { openRun } from './open-run.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import { busy, shuttingDown } from './run-refusals.ts'
import { WaitingLines } from './waiting-lines.ts'

export interface RunnerOptions {
  readonly store: Store
  readonly agents: ReadonlyMap<string, Agent>
  readonly system: AgentSystem
  readonly approvals: ApprovalWaits
  readonly logger: Logger
  readonly now: () => Date
  /** How text is joined on its way into the log. */
  readonly batching?: BatchOptions | undefined
  /** Told of every run that has begun. */
  readonly onBegin?: ((run: Run) => void) | undefined
}

type Claimed = Extract<Claim, { type: 'claimed' }>

export type StopResult = 'stopped' | 'already-ended' | 'not-found'

interface Work {
  readonly agent: Agent
  readonly runLog: RunLog
  readonly context: RequestContext
  readonly stop: AbortController
}

interface ActiveRun {
  readonly run: Run
  readonly stop: AbortController
  /** Resolves to how the run ended when that is saved, or to nothing when it was given up; never rejects. */
  readonly ended: Promise<EndStatus | undefined>
  /** The answer's end is in the log, where people see it, but not yet saved. */
  isAnswered: boolean
}

/**
 * The runs of this process: one at a time per chat, none tied to a connection, each with exactly one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active = new Map<LogName, ActiveRun>()
  readonly #lines = new WaitingLines()
  /** Who watches the chats; whoever shows one to somebody takes a seat here. */
  readonly viewers = new ChatViewers()
  #isClosing = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /**
   * Starts a run, or finds the one that a repeated submission has started already. Messages that wait for their chat
   * are answered in the order in which they came. The seat, if there is one, is taken as soon as the run is there: the
   * sender is going to watch it, and nobody may think meanwhile that the run has no viewer.
   */
  async submit(submission: Submission, seat?: Seat): Promise<Run> {
    const { ownerId, chatId, onBusy } = submission
    if (onBusy === 'reject') return this.#claim(submission, seat)
    const name = logName(ownerId, chatId)
    const known = this.#lines.isEmpty(name) ? Promise.resolve(undefined) : this.#knownRun(submission)
    const inTurn = this.#lines.inTurn(name, async () => (await known) ?? this.#claim(submission, seat))
    // A message whose run is there already need not wait for its turn.
    return Promise.race([known.then(run => run ?? inTurn), inTurn])
  }

  /** The run of a submission that came before. Without one, what is in the way is interrupted if it is to be. */
  async #knownRun(submission: Submission): Promise<Run | undefined> {
    const run = await findRun(this.#options.store, submission)
    const active = this.#active.get(logName(submission.ownerId, submission.chatId))
    if (run === undefined && submission.onBusy === 'interrupt') active?.stop.abort(interruptedByMessage())
    return run
  }

  async #claim(submitted: Submission, seat: Seat | undefined): Promise<Run> {
    const { store } = this.#options
    const name = logName(submitted.ownerId, submitted.chatId)
    for (let submission = submitted; ; ) {
      if (this.#isClosing) throw shuttingDown()
      const claim = await claimRun(this.#options, submission)
      if (claim.type === 'attached') return claim.run
      if (claim.type === 'claimed') return this.#begin(claim, submission.context, seat)
      // The run that was in the way has ended since.
      if (claim.activeRun === undefined) continue
      const active = this.#active.get(name)
      const isAnswered = active?.isAnswered === true
      if (active === undefined || (submission.onBusy === 'reject' && !isAnswered)) throw busy(claim.activeRun)
      const { onBusy } = submission
      const isInterrupted = await makeWay(this.#options, active, { onBusy, viewers: this.viewers })
      if (!isInterrupted) submission = await afterWaiting(store, submission, active.run)
    }
  }

  /** The run that goes on in a chat, here in this process; `ended` resolves when it is over. */
  active(ownerId: OwnerId, chatId: ChatId): Pick<ActiveRun, 'run' | 'ended'> | undefined {
    return this.#active.get(logName(ownerId, chatId))
  }

  async stop(ownerId: OwnerId, chatId: ChatId): Promise<StopResult> {
    const active = this.#active.get(logName(ownerId, chatId))
    if (active !== undefined) {
      active.stop.abort(new RunStopped('stopped', 'Stopped by the user.'))
      // It may have come to its own end before it heard of the stop.
      return (await active.ended) === 'stopped' ? 'stopped' : 'already-ended'
    }
    return (await this.#options.store.chats.get(ownerId, chatId)) === undefined
      ? 'not-found'
      : 'already-ended'
  }

  /** Ends the runs that a process left behind when it died. Nothing that was shown is lost, nothing is run again. */
  async recover(): Promise<void> {
    const { store, logger } = this.#options
    for (const run of await store.runs.unfinished()) {
      await this.#end(run, { status: 'interrupted', text: 'The server was restarted.' })
      logger.warn({ runId: run.id, chatId: run.chatId }, 'ended a run that had been cut off')
    }
  }

  /** Stops every run as interrupted and waits until they are saved. */
  async close(): Promise<void> {
    this.#isClosing = true
    const active = [...this.#active.values()]
    for (const { stop } of active) stop.abort(new RunStopped('interrupted', 'The server was shut down.'))
    await Promise.all(active.map(({ ended }) => ended))
  }

  async #begin({ run, message, expectedId }: Claimed, context: RequestContext, seat?: Seat): Promise<Run> {
    const { store, agents } = this.#options
    const agent = agents.get(run.agent)
    if (agent === undefined)
      throw new TypeError(`Run ${run.id} names the agent "${run.agent}", which does not exist.`)
    const name = logName(run.ownerId, run.chatId)
    const stop = new AbortController()
    const begun = openRunLog(store.log, run, this.#options.batching).then(async runLog => {
      await beginAnswer(runLog, { run, agent, userMessage: message, expectedId })
      return runLog
    })
    const ended = begun
      .then(runLog => this.#answer(run, { agent, runLog, context, stop }))
      .catch(error => this.#giveUp(run, error))
      .finally(() => {
        // The chat is free as soon as the end is saved, and the next run may be here already.
        if (this.#active.get(name)?.run === run) this.#active.delete(name)
      })
    this.#active.set(name, { run, stop, ended, isAnswered: false })
    seat?.take()
    await begun
    this.#options.onBegin?.(run)
    return run
  }

  async #answer(run: Run, work: Work): Promise<EndStatus> {
    const { store, logger, now } = this.#options
    const { agent, runLog, stop } = work
    const messages = await this.#history(run)
    await using opened = openRun({ ...this.#options, ...work, run })
    const { frame } = opened
    const { writer, ledger, children } = frame
    const request = { messages, signal: stop.signal, frame }
    const settled = () => Promise.allSettled(children)
    const outcome = await inFrame(frame, () => runAgent(agent, request, { writer, ledger, settled }))
    await runLog.flush()
    const active = this.#active.get(logName(run.ownerId, run.chatId))
    if (active?.run === run) active.isAnswered = true
    await saveRun(store, run, { runLog, at: now().toISOString() })
    logOutcome(logger, run, outcome)
    return outcome.status
  }

  /**
   * What the agent is given: the server's own history of the branch that the user's message is on, never the
   * client's. Sub-agents' messages are theirs alone.
   */
  async #history(run: Run): Promise<readonly Message[]> {
    const saved = await this.#options.store.messages.load(run.ownerId, run.chatId)
    const messages = (saved?.messages ?? []).map(({ message }) => message)
    return branchUpTo(messages, run.userMessageId).filter(({ metadata }) => metadata?.agent?.kind !== 'sub')
  }

  // The log or the database failed under a run, or the run wrote what nobody could read again. It is ended as soon as
  // they work again, so the chat is not blocked; after a restart `recover` would do the same.
  async #giveUp(run: Run, error: unknown): Promise<undefined> {
    const { logger } = this.#options
    logger.error({ runId: run.id, err: error }, 'a run could not be written')
    if (error instanceof LogError && error.code === 'fenced') return
    for (let delayMs = 250; !this.#isClosing; delayMs = Math.min(delayMs * 2, 10_000)) {
      try {
        await this.#end(run, endAfter(error))
        return
      } catch (failure) {
        if (failure instanceof SqlError && failure.code === 'closed') return
        logger.error({ runId: run.id, err: failure }, 'a run could not be ended yet')
        await new Promise(resolve => setTimeout(resolve, delayMs))
      }
    }
  }

  async #end(run: Run, end: Parameters<typeof endAnswer>[2]): Promise<void> {
    const { store, agents, now } = this.#options
    const userMessage = await store.messages.find(run.ownerId, run.chatId, run.userMessageId)
    if (userMessage === undefined) return
    const agent = agents.get(run.agent) ?? { name: run.agent, displayName: run.agent }
    const runLog = await openRunLog(store.log, run)
    await beginAnswer(runLog, { run, agent, userMessage })
    await endAnswer(run, runLog, end)
    await saveRun(store, run, { runLog, at: now().toISOString() })
  }
}

function endAfter(error: unknown): Parameters<typeof endAnswer>[2] {
  return error instanceof RefusedChunkError
    ? { status: 'failed', text: describeUnreadable(error.problem) }
    : { status: 'interrupted', text: 'The server could not save the answer.' }
}

function logOutcome(logger: Logger, run: Run, { status, error }: AgentOutcome): void {
  const facts = { runId: run.id, chatId: run.chatId, agent: run.agent, status }
  if (error === undefined) logger.info(facts, 'run ended')
  else logger.warn({ ...facts, err: error }, 'run ended')
}

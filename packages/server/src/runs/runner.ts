import type { Agent } from '@throughline/agents/agent'
import { describeUnreadable } from '@throughline/agents/errors/describe-failure'
import type { RequestContext } from '@throughline/agents/run/request-context'
import { type AgentOutcome, runAgent } from '@throughline/agents/run/run-agent'
import { RunStopped } from '@throughline/agents/run/run-stopped'
import type { BatchOptions } from '@throughline/log/batch-deltas'
import { LogError } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'
import type { EndStatus } from '@throughline/protocol/metadata'
import type { Store } from '@throughline/store/open-store'
import { hasAnswer, type Run } from '@throughline/store/runs'
import type { Logger } from 'pino'
import { changeChat, isOverSoon } from '../changes/change-chat.ts'
import type { PlanChange } from '../changes/planned.ts'
import { saveChange } from '../changes/write-change.ts'
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import type { AgentSystem } from './agent-system.ts'
import { answerHistory } from './answer-history.ts'
import { RefusedChunkError } from './append-readable.ts'
import type { ApprovalWaits } from './approval-waits.ts'
import { beginAnswer } from './begin-answer.ts'
import { ChatViewers, type Seat } from './chat-viewers.ts'
import { type Claim, claimRun } from './claim-run.ts'
import { endAnswer, saveRun } from './end-run.ts'
import { findRun, isRunOf } from './find-run.ts'
import { interruptedByMessage, makeWay } from './make-way.ts'
import { openRun } from './open-run.ts'
import { isPerson, personName } from './person.ts'
import { placeAfterWaiting } from './place-message.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import { busy, shuttingDown } from './run-refusals.ts'
import type { Submission } from './submission.ts'
import { untilSaved } from './until-saved.ts'
import { WaitingLines } from './waiting-lines.ts'

export interface RunnerOptions {
  readonly store: Store
  readonly agents: ReadonlyMap<string, Agent>
  /** A person who answers, by their target: see `isPerson`. Without it nobody does. */
  readonly person?: ((target: string) => Agent) | undefined
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

/**
 * The runs of this process: one at a time per chat, none tied to a connection, each with exactly one end.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #active = new ActiveRuns()
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
    if (submission.onBusy === 'reject') return this.#claim(submission, seat)
    const known = this.#lines.isEmpty(submission) ? Promise.resolve(undefined) : this.#knownRun(submission)
    const inTurn = this.#lines.inTurn(submission, async () => (await known) ?? this.#claim(submission, seat))
    // A message whose run is there already need not wait for its turn.
    return Promise.race([known.then(run => run ?? inTurn), inTurn])
  }

  /** The run of a submission that came before. Without one, what is in the way is interrupted if it is to be. */
  async #knownRun(submission: Submission): Promise<Run | undefined> {
    const run = await findRun(this.#options.store, submission)
    const active = this.#active.of(submission)
    // The same submission may have come twice at once, and its run may have begun during the look for it.
    const isInTheWay = active !== undefined && !isRunOf(active.run, submission)
    if (run === undefined && isInTheWay && submission.onBusy === 'interrupt')
      active.stop.abort(interruptedByMessage())
    return run
  }

  async #claim(submitted: Submission, seat: Seat | undefined): Promise<Run> {
    const { store } = this.#options
    for (let submission = submitted; ; ) {
      if (this.#isClosing) throw shuttingDown()
      const claim = await claimRun(this.#options, submission)
      if (claim.type === 'attached') return claim.run
      if (claim.type === 'claimed') return this.#begin(claim, submission.context, seat)
      // The run that was in the way has ended since.
      if (claim.activeRun === undefined) continue
      const active = this.#active.of(submission)
      if (active === undefined && (await isOverSoon(claim.activeRun))) continue
      const isAnswered = active?.isAnswered === true
      if (active === undefined || (submission.onBusy === 'reject' && !isAnswered)) throw busy(claim.activeRun)
      const { onBusy } = submission
      const isInterrupted = await makeWay(this.#options, active, { onBusy, viewers: this.viewers })
      if (!isInterrupted) submission = await placeAfterWaiting(store, submission, active.run)
    }
  }

  /** Deletes, moves or describes messages that are there; see `changeChat`. */
  change(chat: ChatKey, plan: PlanChange): Promise<void> {
    const isClosing = () => this.#isClosing
    return changeChat({ ...this.#options, active: this.#active, isClosing }, chat, plan)
  }

  /** The run that goes on in a chat, here in this process; `ended` resolves when it is over. */
  active(chat: ChatKey): Pick<ActiveRun, 'run' | 'ended'> | undefined {
    return this.#active.of(chat)
  }

  async stop(chat: ChatKey): Promise<StopResult> {
    const active = this.#active.of(chat)
    if (active !== undefined) {
      active.stop.abort(new RunStopped('stopped', 'Stopped by the user.'))
      // It may have come to its own end before it heard of the stop.
      return (await active.ended) === 'stopped' ? 'stopped' : 'already-ended'
    }
    return (await this.#options.store.chats.get(chat)) === undefined ? 'not-found' : 'already-ended'
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
    const active = this.#active.all()
    for (const { stop } of active) stop.abort(new RunStopped('interrupted', 'The server was shut down.'))
    await Promise.all(active.map(({ ended }) => ended))
  }

  async #begin({ run, message, expectedId }: Claimed, context: RequestContext, seat?: Seat): Promise<Run> {
    const { store, batching } = this.#options
    const agent = hasAnswer(run) ? this.#agentOf(run) : undefined
    const stop = new AbortController()
    const begun = openRunLog(store.log, run, batching).then(async runLog => {
      await beginAnswer(runLog, { run, agent, userMessage: message, expectedId })
      return runLog
    })
    const ended = begun
      .then(runLog => (agent ? this.#answer(run, { agent, runLog, context, stop }) : this.#save(run, runLog)))
      .catch(error => this.#giveUp(run, error))
    this.#active.keep({ run, stop, ended, isAnswered: agent === undefined })
    seat?.take()
    await begun
    this.#options.onBegin?.(run)
    return run
  }

  #agentOf(run: Run): Agent {
    const { agents, person } = this.#options
    const agent = agents.get(run.agent) ?? (isPerson(run.agent) ? person?.(run.agent) : undefined)
    if (agent !== undefined) return agent
    throw new TypeError(`Run ${run.id} names the agent "${run.agent}", which does not exist.`)
  }

  async #answer(run: Run, work: Work): Promise<EndStatus> {
    const { store, logger } = this.#options
    const { agent, runLog } = work
    const messages = await answerHistory(store, run)
    await using opened = openRun({ ...this.#options, ...work, run })
    const outcome = await runAgent(agent, opened.frame, { messages })
    await runLog.flush()
    const active = this.#active.of(run)
    if (active?.run === run) active.isAnswered = true
    await this.#save(run, runLog)
    logOutcome(logger, run, outcome)
    return outcome.status
  }

  async #save(run: Run, runLog: RunLog): Promise<EndStatus> {
    const { store, now } = this.#options
    return saveRun(store, run, { runLog, at: now().toISOString() })
  }

  // The log or the database failed under a run, or the run wrote what nobody could read again. It is ended as soon as
  // they work again, so the chat is not blocked; after a restart `recover` would do the same.
  async #giveUp(run: Run, error: unknown): Promise<undefined> {
    const { logger } = this.#options
    logger.error({ runId: run.id, err: error }, 'a run could not be written')
    if (error instanceof LogError && error.code === 'fenced') return
    const isClosing = () => this.#isClosing
    await untilSaved(() => this.#end(run, endAfter(error)), { runId: run.id, logger, isClosing })
  }

  async #end(run: Run, end: Parameters<typeof endAnswer>[2]): Promise<void> {
    const { store, agents, now } = this.#options
    if (run.kind === 'change') return void (await saveChange(store, run, now().toISOString()))
    const userMessage = await store.messages.find(run, run.userMessageId)
    if (userMessage === undefined) return
    const agent = agents.get(run.agent) ?? {
      name: run.agent,
      displayName: personName(run.agent) || run.agent,
    }
    const runLog = await openRunLog(store.log, run)
    await beginAnswer(runLog, { run, agent, userMessage })
    await endAnswer(run, runLog, end)
    await this.#save(run, runLog)
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

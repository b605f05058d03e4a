import { type LogName, logName } from '@throughline/log'
import { type ChatKey, ProblemError } from '@throughline/protocol'
import type { Run, Store, WaitingName, WaitingSubmission } from '@throughline/store'
import type { Logger } from 'pino'
import type { Seat } from '../runs/chat-viewers.ts'
import { findRun } from '../runs/find-run.ts'
import { shuttingDown } from '../runs/run-refusals.ts'
import { pollPause } from '../signals/poll-pause.ts'
import { RowWaits } from '../signals/row-waits.ts'
import { damagedInQueue, removedFromQueue } from './queue-problems.ts'
import { type NamedSubmission, readableSubmission } from './saved-submission.ts'
import { Waiters } from './waiters.ts'

/** What the queue needs. */
export interface QueueOptions {
  readonly store: Store
  readonly logger: Logger
  /** Aborts when the server shuts down. */
  readonly closing: AbortSignal
  /** Waits for the turn of a submission, and begins its run. Returns `gone` when it was removed from the line. */
  readonly begin: (waiting: WaitingSubmission, named: NamedSubmission, seat: Seat) => Promise<Run | 'gone'>
}

/** How many chats are taken up at a time. */
const maxDue = 100
/** How much of a damaged submission is logged, in characters. */
const maxLoggedLength = 2_000

/**
 * Begins the runs of the submissions that wait in the store, one after the other in each chat. Every process that shares
 * the store does this. The claim of the run takes the submission out of the line, so each begins once.
 */
export class SubmissionQueue {
  readonly #options: QueueOptions
  readonly #underWay = new Map<LogName, { readonly over: Promise<void>; isAskedAgain: boolean }>()
  readonly #waiters = new Waiters()
  readonly #waits: RowWaits<WaitingName, 'left'>
  #poll: Promise<void> | undefined

  constructor(options: QueueOptions) {
    this.#options = options
    const { store, logger } = options
    this.#waits = new RowWaits({
      signals: store.signals,
      read: names => leftLine(store, names),
      onFailure: error => logger.warn({ err: error }, 'queues could not be read; they are read again soon'),
    })
  }

  /** Takes up what waits: what an earlier process has left, and every two seconds what another process has left. */
  start(): void {
    this.#poll ??= this.#pollUntilClosed()
  }

  /** Waits until nothing is begun any more. To be called after `closing` has aborted. */
  async close(): Promise<void> {
    await Promise.all([this.#poll, ...[...this.#underWay.values()].map(({ over }) => over)])
  }

  /**
   * Waits for the run of a submission. `join` saves the submission in the line. The run may begin in any process. The
   * seat is taken as soon as it begins in this one. Returns `no-chat` when the chat has been removed meanwhile.
   */
  async wait(
    named: NamedSubmission,
    { seat, join }: { readonly seat: Seat | undefined; readonly join: () => Promise<'waits' | 'no-chat'> },
  ): Promise<{ readonly run: Promise<Run> } | 'no-chat'> {
    const { submission } = named
    // Before the submission is saved. Its run may begin at once.
    const waiter = this.#waiters.add(named, seat)
    try {
      if ((await join()) === 'no-chat') {
        waiter.leave()
        return 'no-chat'
      }
    } catch (error) {
      waiter.leave()
      throw error
    }
    this.#options.store.signals.ring(submission)
    this.takeUp(submission)
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, this.#options.closing])
    const run = Promise.race([waiter.run, this.#begunAnywhere(named, signal)]).finally(() => {
      left.abort()
      waiter.leave()
    })
    return { run }
  }

  /** Begins what waits in a chat, until nothing waits there any more. */
  takeUp({ ownerId, chatId }: ChatKey): void {
    const chat = { ownerId, chatId }
    const name = logName(chat)
    const known = this.#underWay.get(name)
    if (known !== undefined) known.isAskedAgain = true
    if (known !== undefined || this.#options.closing.aborted) return
    const over = this.#takeAll(chat).finally(() => {
      const isAskedAgain = this.#underWay.get(name)?.isAskedAgain === true
      this.#underWay.delete(name)
      if (isAskedAgain) this.takeUp(chat)
    })
    this.#underWay.set(name, { over, isAskedAgain: false })
  }

  async #takeAll(chat: ChatKey): Promise<void> {
    const { store, closing, logger } = this.#options
    try {
      while (!closing.aborted) {
        const first = await store.waitingSubmissions.first(chat)
        if (first === undefined) return
        await this.#take(first)
      }
    } catch (error) {
      // What waits stays in the store, and is taken up again by the poll.
      this.#waiters.rejectAll(chat, error)
      if (!closing.aborted) logger.error({ err: error, chatId: chat.chatId }, 'a queue could not be taken up')
    }
  }

  /** Begins one submission. If it is refused, removes it, and tells those who wait for it in this process. */
  async #take(first: WaitingSubmission): Promise<void> {
    const { store, begin, logger } = this.#options
    const { id: lineId, chatId } = first
    const named = readableSubmission(first)
    if (named === undefined) return this.#setAside(first)
    try {
      const run = await begin(first, named, this.#waiters.seatsOf(first))
      if (run !== 'gone') this.#waiters.resolve(first, run)
    } catch (error) {
      const isRefused = error instanceof ProblemError && error.status < 500
      if (!isRefused) throw error
      logger.warn({ chatId, messageId: lineId, code: error.code }, 'a waiting message was refused')
      await store.waitingSubmissions.remove(first, lineId, named.fileIds)
      this.#waiters.reject(first, error)
    }
    // Somebody may wait for this run in another process.
    store.signals.ring(first)
  }

  /** Removes a submission that cannot be read, so that those behind it get their turn. */
  async #setAside(first: WaitingSubmission): Promise<void> {
    const { store, logger } = this.#options
    const { id: lineId, chatId, ownerId, body } = first
    // The body goes into the log, so that the message is not lost.
    logger.error(
      { ownerId, chatId, messageId: lineId, body: body.slice(0, maxLoggedLength) },
      'a waiting message is damaged and was removed from its queue; the others go on',
    )
    await store.waitingSubmissions.remove(first, lineId)
    this.#waiters.reject(first, damagedInQueue(first, lineId))
    store.signals.ring(first)
  }

  /** Waits until the rows show the run of a submission. Throws when the submission waits no more and has no run. */
  async #begunAnywhere({ submission, lineId }: NamedSubmission, signal: AbortSignal): Promise<Run> {
    const { store } = this.#options
    const { ownerId, chatId } = submission
    const end = await this.#waits.until({ ownerId, chatId, id: lineId }, signal)
    if (end === undefined) throw shuttingDown()
    // Read after the line: the claim of a run takes its submission out of the line.
    const run = await findRun(store, submission)
    if (run === undefined) throw removedFromQueue(submission, lineId)
    return run
  }

  async #pollUntilClosed(): Promise<void> {
    const { store, closing, logger } = this.#options
    while (!closing.aborted) {
      try {
        const { chats, damaged } = await store.waitingSubmissions.due(maxDue)
        for (const chat of chats) this.takeUp(chat)
        for (const row of damaged) {
          logger.error(row.named, 'a waiting message that names no chat is damaged and was removed')
          await store.waitingSubmissions.removeDamaged(row)
        }
      } catch (error) {
        if (!closing.aborted)
          logger.error({ err: error }, 'queues could not be read; they are read again soon')
      }
      await pollPause(closing)
    }
  }
}

/** Returns those who stand in no line any more. */
async function leftLine(
  { waitingSubmissions }: Store,
  names: readonly WaitingName[],
): Promise<ReadonlyMap<WaitingName, 'left'>> {
  const waiting = await waitingSubmissions.stillWaiting(names)
  return new Map(names.filter(name => !waiting.has(name)).map(name => [name, 'left'] as const))
}

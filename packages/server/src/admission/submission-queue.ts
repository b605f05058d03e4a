import { type LogName, logName } from '@throughline/log'
import { type ChatKey, ProblemError } from '@throughline/protocol'
import {
  type Run,
  type Store,
  type WaitingName,
  type WaitingSubmission,
  withPatience,
} from '@throughline/store'
import type { Logger } from 'pino'
import { damagedInQueue, removedFromQueue } from '../refusals/queue-problems.ts'
import { shuttingDown } from '../refusals/run-refusals.ts'
import { pollPause } from '../signals/poll.ts'
import { RowWaits } from '../signals/row-waits.ts'
import type { Presence } from '../stream/chat-viewers.ts'
import { findRun } from './find-run.ts'
import { type NamedSubmission, readableSubmission } from './saved-submission.ts'

/** What the queue needs. */
export interface QueueOptions {
  readonly store: Store
  readonly logger: Logger
  /** Aborts when no run begins in this process any more. Other processes take up what waits. */
  readonly closing: AbortSignal
  /** Aborts when nobody waits in this process any more. */
  readonly over: AbortSignal
  /** Waits for the turn of a submission, and begins its run. Returns `gone` when it was removed from the queue. */
  readonly begin: (
    waiting: WaitingSubmission,
    named: NamedSubmission,
    presence: Presence,
  ) => Promise<Run | 'gone'>
}

/** How many chats are taken up at a time. */
const maxDue = 100
/** How much of a damaged submission is logged, in characters. */
const maxLoggedLength = 2_000

/**
 * Begins the runs of the submissions that wait in the store, one after the other in each chat. Every process that shares
 * the store does this. The claim of the run takes the submission out of the queue, so each begins once.
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
      read: names => leftQueue(store, names),
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
   * Waits for the run of a submission. `join` saves the submission in the queue. The run may begin in any process. The
   * presence is taken as soon as it begins in this one. Returns `no-chat` when the chat has been removed meanwhile.
   */
  async wait(
    named: NamedSubmission,
    {
      presence,
      join,
    }: { readonly presence: Presence | undefined; readonly join: () => Promise<'waits' | 'no-chat'> },
  ): Promise<{ readonly run: Promise<Run> } | 'no-chat'> {
    const { submission } = named
    // Before the submission is saved. Its run may begin at once.
    const waiter = this.#waiters.add(named, presence)
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
    const signal = AbortSignal.any([left.signal, this.#options.over])
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
    const { store, closing } = this.#options
    if (known !== undefined || closing.aborted) return
    // Not as long as the request that asks for this, if one does.
    const patience = { maxWaitMs: store.maxWaitMs, signal: closing }
    const over = withPatience(patience, () => this.#takeAll(chat)).finally(() => {
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
    const { id: waitingId, chatId } = first
    const named = readableSubmission(first)
    if (named === undefined) return this.#setAside(first)
    try {
      const run = await begin(first, named, this.#waiters.presenceOf(first))
      if (run !== 'gone') this.#waiters.resolve(first, run)
    } catch (error) {
      const isRefused = error instanceof ProblemError && error.status < 500
      if (!isRefused) throw error
      logger.warn({ chatId, messageId: waitingId, code: error.code }, 'a waiting message was refused')
      await store.waitingSubmissions.remove(first, waitingId, named.fileIds)
      this.#waiters.reject(first, error)
    }
    // Somebody may wait for this run in another process.
    store.signals.ring(first)
  }

  /** Removes a submission that cannot be read, so that those behind it get their turn. */
  async #setAside(first: WaitingSubmission): Promise<void> {
    const { store, logger } = this.#options
    const { id: waitingId, chatId, ownerId, body } = first
    // The body goes into the log, so that the message is not lost.
    logger.error(
      { ownerId, chatId, messageId: waitingId, body: body.slice(0, maxLoggedLength) },
      'a waiting message is damaged and was removed from its queue; the others go on',
    )
    await store.waitingSubmissions.remove(first, waitingId)
    this.#waiters.reject(first, damagedInQueue(first, waitingId))
    store.signals.ring(first)
  }

  /** Waits until the rows show the run of a submission. Throws when the submission waits no more and has no run. */
  async #begunAnywhere({ submission, waitingId }: NamedSubmission, signal: AbortSignal): Promise<Run> {
    const { store } = this.#options
    const { ownerId, chatId } = submission
    const end = await this.#waits.until({ ownerId, chatId, id: waitingId }, signal)
    if (end === undefined) throw shuttingDown()
    // Read after the queue: the claim of a run takes its submission out of the queue.
    const run = await findRun(store, submission)
    if (run === undefined) throw removedFromQueue(submission, waitingId)
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

/** Returns those that wait in no queue any more. */
async function leftQueue(
  { waitingSubmissions }: Store,
  names: readonly WaitingName[],
): Promise<ReadonlyMap<WaitingName, 'left'>> {
  const waiting = await waitingSubmissions.stillWaiting(names)
  return new Map(names.filter(name => !waiting.has(name)).map(name => [name, 'left'] as const))
}

interface Waiter {
  readonly waitingId: string
  readonly presence: Presence | undefined
  readonly run: PromiseWithResolvers<Run>
}

type WaitingRef = ChatKey & Pick<WaitingSubmission, 'id'>

/** Those who wait in this process for the runs of submissions in the queue. Several may wait for the same run. */
class Waiters {
  readonly #byChat = new Map<LogName, Set<Waiter>>()

  add({ submission, waitingId }: NamedSubmission, presence: Presence | undefined) {
    const name = logName(submission)
    const waiter: Waiter = { waitingId, presence, run: Promise.withResolvers<Run>() }
    const waiters = this.#byChat.get(name) ?? new Set()
    this.#byChat.set(name, waiters.add(waiter))
    // Whoever has left does not hear of a failure.
    waiter.run.promise.catch(() => undefined)
    return {
      run: waiter.run.promise,
      leave: () => {
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#byChat.get(name) === waiters) this.#byChat.delete(name)
      },
    }
  }

  /** Returns the presence of all who wait for one submission, as one. */
  presenceOf(waiting: WaitingRef): Presence {
    return {
      take: asked => this.#of(waiting).forEach(({ presence }) => void presence?.take(asked)),
      leave: () => this.#of(waiting).forEach(({ presence }) => void presence?.leave()),
    }
  }

  resolve(waiting: WaitingRef, run: Run): void {
    for (const waiter of this.#of(waiting)) waiter.run.resolve(run)
  }

  reject(waiting: WaitingRef, error: unknown): void {
    for (const waiter of this.#of(waiting)) waiter.run.reject(error)
  }

  /** Rejects everybody who waits in a chat. */
  rejectAll(chat: ChatKey, error: unknown): void {
    for (const waiter of this.#byChat.get(logName(chat)) ?? []) waiter.run.reject(error)
  }

  #of({ id, ...chat }: WaitingRef): readonly Waiter[] {
    return [...(this.#byChat.get(logName(chat)) ?? [])].filter(({ waitingId }) => waitingId === id)
  }
}

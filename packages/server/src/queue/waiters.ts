import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import type { Run, WaitingSubmission } from '@throughline/store'
import type { Seat } from '../runs/chat-viewers.ts'
import type { NamedSubmission } from './saved-submission.ts'

interface Waiter {
  readonly lineId: string
  readonly seat: Seat | undefined
  readonly run: PromiseWithResolvers<Run>
}

type InLine = ChatKey & Pick<WaitingSubmission, 'id'>

/** Those who wait in this process for the runs of submissions in line. Several may wait for the same run. */
export class Waiters {
  readonly #byChat = new Map<LogName, Set<Waiter>>()

  add({ submission, lineId }: NamedSubmission, seat: Seat | undefined) {
    const name = logName(submission)
    const waiter: Waiter = { lineId, seat, run: Promise.withResolvers<Run>() }
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

  /** Returns the seats of all who wait for one submission, as one seat. */
  seatsOf(inLine: InLine): Seat {
    return {
      take: () => this.#of(inLine).forEach(({ seat }) => void seat?.take()),
      leave: () => this.#of(inLine).forEach(({ seat }) => void seat?.leave()),
    }
  }

  resolve(inLine: InLine, run: Run): void {
    for (const waiter of this.#of(inLine)) waiter.run.resolve(run)
  }

  reject(inLine: InLine, error: unknown): void {
    for (const waiter of this.#of(inLine)) waiter.run.reject(error)
  }

  /** Rejects everybody who waits in a chat. */
  rejectAll(chat: ChatKey, error: unknown): void {
    for (const waiter of this.#byChat.get(logName(chat)) ?? []) waiter.run.reject(error)
  }

  #of({ id, ...chat }: InLine): readonly Waiter[] {
    return [...(this.#byChat.get(logName(chat)) ?? [])].filter(({ lineId }) => lineId === id)
  }
}

import type { EntryDraft } from '@throughline/protocol/entry'

export interface HeldWrites {
  /** Resolves or rejects when the test says so. Throws when a write is under way already. */
  append(drafts: readonly EntryDraft[]): Promise<void>
  /** What has been handed over, one list per write, the one under way included. */
  readonly started: readonly (readonly EntryDraft[])[]
  /** How many of these writes have ended well. */
  readonly finished: number
  readonly isUnderWay: boolean
  finish(): Promise<void>
  fail(error: Error): Promise<void>
  /** Finishes writes until there is none under way. */
  finishAll(): Promise<void>
}

/** A log whose every write waits for the test. */
export function heldWrites(): HeldWrites {
  const started: (readonly EntryDraft[])[] = []
  let finished = 0
  let current: PromiseWithResolvers<void> | undefined

  function take(): PromiseWithResolvers<void> {
    if (current === undefined) throw new Error('No write is under way.')
    const taken = current
    current = undefined
    return taken
  }

  async function finish(): Promise<void> {
    take().resolve()
    finished += 1
    await settle()
  }

  return {
    started,
    get finished() {
      return finished
    },
    get isUnderWay() {
      return current !== undefined
    },
    append(drafts) {
      if (current !== undefined) throw new Error('Two writes are under way at once.')
      if (drafts.length === 0) throw new Error('A write has nothing to write.')
      started.push(drafts)
      current = Promise.withResolvers()
      return current.promise
    },
    finish,
    async fail(error) {
      take().reject(error)
      await settle()
    },
    async finishAll() {
      while (current !== undefined) await finish()
    },
  }
}

/** Lets everything happen that needs no timer and no other process. */
export async function settle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
}

/** Whether a promise is still open, after everything that can happen by itself has happened. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isOpen = true
  const done = () => {
    isOpen = false
  }
  promise.then(done, done)
  await settle()
  return isOpen
}

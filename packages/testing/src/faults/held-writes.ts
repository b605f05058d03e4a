import type { EntryDraft } from '@throughline/protocol'

export interface HeldWrites {
  /** Starts a write. It resolves or rejects when the test says so. Throws if another write is under way. */
  append(drafts: readonly EntryDraft[]): Promise<void>
  /** The drafts of every write so far, including the write that is under way. */
  readonly started: readonly (readonly EntryDraft[])[]
  /** How many writes have succeeded. */
  readonly finished: number
  readonly isUnderWay: boolean
  finish(): Promise<void>
  fail(error: Error): Promise<void>
  /** Finishes writes until no write is under way. */
  finishAll(): Promise<void>
}

/** Returns a log in which every write waits until the test finishes it. */
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

/** Waits until everything has happened that needs no timer and no other process. */
export async function settle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
}

/** Returns whether a promise is still pending after `settle`. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isOpen = true
  const done = () => {
    isOpen = false
  }
  promise.then(done, done)
  await settle()
  return isOpen
}

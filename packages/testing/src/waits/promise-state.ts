import { settle } from '../faults/held-writes.ts'

/** What has become of a promise. */
export type PromiseState =
  | { readonly status: 'pending' }
  | { readonly status: 'fulfilled'; readonly value: unknown }
  | { readonly status: 'rejected'; readonly reason: unknown }

export const unsettled: PromiseState = { status: 'pending' }

/** Returns what has become of a promise after everything has happened that needs no timer and no other process. */
export async function promiseState(promise: Promise<unknown>): Promise<PromiseState> {
  let state = unsettled
  promise.then(
    value => {
      state = { status: 'fulfilled', value }
    },
    (reason: unknown) => {
      state = { status: 'rejected', reason }
    },
  )
  await settle()
  return state
}

import type { Entry } from '@throughline/protocol'
import { type AwaitedCall, awaitedCalls, foldWaits, noWaits } from '../run-waits.ts'

/**
 * Finds the places where a run waits for nothing but the outputs of calls. Clients of OpenAI get these calls at the end of
 * a response, and send all of their outputs with the next request. They cannot send decisions.
 */
export class ClientCalls {
  #waits = noWaits
  /** The ids of the requests of all calls that were returned. */
  readonly #returned = new Set<string>()

  /** Returns the calls for which the run waits since this entry, if it did not wait for them before. */
  after(entry: Entry): readonly AwaitedCall[] {
    const before = this.#waits
    this.#waits = foldWaits(before, entry)
    if (this.#waits === before) return []
    const awaited = awaitedCalls(this.#waits)
    if (awaited.some(({ kind }) => kind !== 'output')) return []
    const added = awaited.filter(({ id }) => !this.#returned.has(id))
    for (const { id } of added) this.#returned.add(id)
    return added
  }
}

/** Returns the input of a call as these clients read it: as JSON text. */
export function argumentsOf({ input }: AwaitedCall): string {
  return JSON.stringify(input ?? {})
}

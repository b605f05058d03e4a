import type { Entry } from '@throughline/protocol'

/**
 * Turns the entries of one run into the values of one wire form, such as chunks, lines or events.
 *
 * It is given the run's own entries (see `isOfRun`) in the order of the log, and remembers what it needs of them.
 * So each viewer needs a projection of its own. The cost of an entry does not depend on how many came before it.
 */
export interface Projection<Out> {
  /** Takes the next entry. Returns what it becomes, which may be nothing. */
  write(entry: Entry): readonly Out[]
}

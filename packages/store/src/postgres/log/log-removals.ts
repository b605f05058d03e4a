import type { PatientQueries } from '../patient-queries.ts'

/** At most this many entries are deleted with one statement. */
const sliceEntries = 5_000

/**
 * Deletes the entries of logs that were removed or trimmed, in slices. Several processes can do this at once: each takes
 * another log. What a process leaves undone when it ends, the next one that starts or removes something does.
 */
export class LogRemovals {
  readonly #queries: PatientQueries
  #isWorking = false
  #hasMore = false

  constructor(queries: PatientQueries) {
    this.#queries = queries
  }

  /** Starts to delete, in the background. */
  start(): void {
    this.#hasMore = true
    if (this.#isWorking) return
    this.#isWorking = true
    this.#work()
      // Nobody waits for this. It is tried again at the next removal.
      .catch(() => undefined)
      .finally(() => {
        this.#isWorking = false
      })
  }

  async #work(): Promise<void> {
    while (this.#hasMore) {
      this.#hasMore = false
      while (await this.#deleteSlice());
    }
  }

  /** Returns whether there may be more to delete. */
  async #deleteSlice(): Promise<boolean> {
    const [row] = await this.#queries.run({
      name: 'log-delete-slice',
      text: sliceSql,
      values: [sliceEntries],
    })
    return Number(row?.['due']) > 0
  }
}

const sliceSql = `with due as (
    select epoch, up_to from log_removals order by epoch limit 1 for update skip locked),
  slice as (
    select e.epoch, e.seq from due join log_entries e on e.epoch = due.epoch and e.seq <= due.up_to
    order by e.seq limit $1::bigint),
  deleted as (
    delete from log_entries e using slice where e.epoch = slice.epoch and e.seq = slice.seq),
  done as (
    delete from log_removals r using due
    where r.epoch = due.epoch and (select count(*) from slice) < $1::bigint)
  select count(*) as due from due`

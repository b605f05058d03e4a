import { createEpoch, type EntryDraft } from '@throughline/protocol'
import { openPostgres } from '@throughline/store/testing'

/** A row of the table: the same columns as an entry of the log. */
export interface PlainRow {
  readonly epoch: string
  readonly seq: number
  readonly json: string
}

/** Inserts rows of many logs without any check. */
export interface PlainInserts {
  /** Inserts these rows with one statement. */
  insert(rows: readonly PlainRow[]): Promise<unknown>
  close(): Promise<void>
}

/** Makes a table of the same shape as that of the log. The connections have the settings of the store. */
export async function openPlainInserts(url: string, { runId, messageId }: EntryDraft): Promise<PlainInserts> {
  const sql = await openPostgres(url)
  await sql.pool.query('create table if not exists plain_entries (like log_entries including all)')
  return {
    insert(rows) {
      const at = Date.now()
      const values = [
        rows.map(({ epoch }) => epoch),
        rows.map(({ seq }) => seq),
        rows.map(() => at),
        rows.map(() => runId),
        rows.map(() => messageId),
        rows.map(({ json }) => json),
      ]
      return sql.pool.query({ name: 'plain', text: insertSql, values })
    },
    close: () => sql.close(),
  }
}

const insertSql = `insert into plain_entries (epoch, seq, at, run_id, message_id, chunk)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])`

/** The next rows of one log. */
export class PlainLog {
  readonly #epoch = createEpoch()
  #seq = 0

  next({ chunk }: EntryDraft): PlainRow {
    this.#seq += 1
    return { epoch: this.#epoch, seq: this.#seq, json: JSON.stringify(chunk) }
  }
}

/** Collects the rows of many callers. A statement takes all that wait. */
export class PlainQueue {
  readonly #inserts: PlainInserts
  readonly #statements: number
  #waiting: { readonly row: PlainRow; readonly done: () => void }[] = []
  #underWay = 0
  #next: NodeJS.Immediate | undefined

  constructor(inserts: PlainInserts, statements: number) {
    this.#inserts = inserts
    this.#statements = statements
  }

  /** Resolves when the row is committed. */
  append(row: PlainRow): Promise<void> {
    this.#next ??= setImmediate(() => {
      this.#next = undefined
      this.#start()
    })
    return new Promise(done => this.#waiting.push({ row, done }))
  }

  #start(): void {
    while (this.#underWay < this.#statements && this.#waiting.length > 0) void this.#insertAll()
  }

  async #insertAll(): Promise<void> {
    const taken = this.#waiting
    this.#waiting = []
    this.#underWay += 1
    await this.#inserts.insert(taken.map(({ row }) => row))
    this.#underWay -= 1
    this.#start()
    for (const { done } of taken) done()
  }
}

import { limitConcurrency, retry, untilAborted } from '@throughline/protocol/internal'
import type { Client, QueryResult } from 'pg'
import type { PreparedQuery } from '../patient-queries.ts'

/** A connection that does not respond in this time, in milliseconds, is taken for lost. */
const timeoutMs = 10_000

/** Text for everybody who listens on a channel. */
export interface PostgresNotification {
  /** Letters, digits and underscores. */
  readonly channel: string
  /** At most 7,999 bytes, and without NUL. */
  readonly payload: string
}

/** Messages between the processes that share a database. */
export interface Notifications {
  /**
   * Calls `hear` with each notification of another process. Resolves when that has begun: notifications from before are
   * missed, and so are those while the connection is lost.
   */
  listen(channel: string, hear: (payload: string) => void): Promise<void>
  /** Sends notifications in one transaction. Rejects when there is no connection. */
  send(notifications: readonly PostgresNotification[]): Promise<void>
  /** Calls the function each time the connection is there again. Notifications may have been missed before. */
  onReconnect(heal: () => void): void
  /** Makes sure that the connection still works. If it does not, it is replaced. */
  check(): void
  close(): Promise<void>
}

/**
 * Opens the one connection of this process that listens. It is replaced whenever it is lost. `createClient` returns a
 * client that is not connected yet. It needs a direct connection: a pooler that shares connections by transaction cannot
 * pass notifications on. Rejects with the error of `pg` when the first connection fails.
 */
export async function openNotifications(createClient: () => Client): Promise<Notifications> {
  const connection = new NotificationConnection(createClient)
  await connection.open()
  return connection
}

class NotificationConnection implements Notifications {
  readonly #createClient: () => Client
  readonly #hearers = new Map<string, (payload: string) => void>()
  readonly #heals: (() => void)[] = []
  readonly #closing = new AbortController()
  readonly #inTurn = limitConcurrency(1)
  #client: Client | undefined
  #isChecking = false
  #reconnecting: Promise<void> | undefined

  constructor(createClient: () => Client) {
    this.#createClient = createClient
  }

  async open(): Promise<void> {
    this.#client = await this.#connect()
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<void> {
    this.#hearers.set(channel, hear)
    // Without a connection, the next one will listen to all channels.
    if (this.#client !== undefined) await this.#ask(this.#client, listenQuery(channel))
  }

  async send(notifications: readonly PostgresNotification[]): Promise<void> {
    if (this.#client === undefined) throw new Error('There is no connection for notifications.')
    const channels = notifications.map(({ channel }) => channel)
    const payloads = notifications.map(({ payload }) => payload)
    await this.#ask(this.#client, { name: 'notify', text: notifySql, values: [channels, payloads] })
  }

  onReconnect(heal: () => void): void {
    this.#heals.push(heal)
  }

  check(): void {
    const client = this.#client
    if (client === undefined || this.#isChecking) return
    this.#isChecking = true
    this.#ask(client, checkQuery)
      // `#ask` has begun to replace the connection.
      .catch(() => undefined)
      .finally(() => {
        this.#isChecking = false
      })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#reconnecting
    const client = this.#client
    this.#client = undefined
    if (client !== undefined) await endInTime(client)
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing
    const client = await retry(() => this.#connect(), {
      firstMs: 50,
      maxMs: 5_000,
      signal,
      onFailure: (_, delayMs) => delayMs,
    })
    this.#client = client
    if (client === undefined || signal.aborted) return
    try {
      for (const channel of this.#hearers.keys()) await this.#ask(client, listenQuery(channel))
      for (const heal of this.#heals) heal()
    } catch {
      // The connection is lost again, and is being replaced.
    }
  }

  async #connect(): Promise<Client> {
    const client = this.#createClient()
    client.on('error', () => this.#replace(client))
    client.on('end', () => this.#replace(client))
    try {
      await untilAborted(client.connect(), AbortSignal.timeout(timeoutMs))
      // A notification is only a hint, so its commit need not wait for the disk.
      await client.query('set synchronous_commit = off')
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      client.on('notification', ({ processId, channel, payload = '' }) => {
        if (processId !== rows[0]?.pid) this.#hearers.get(channel)?.(payload)
      })
      return client
    } catch (error) {
      void endInTime(client)
      throw error
    }
  }

  /** Runs a statement. The connection runs one at a time, and is replaced if one of them fails. */
  #ask(client: Client, { name, text, values }: PreparedQuery): Promise<QueryResult> {
    return this.#inTurn(async () => {
      try {
        const query = { name, text, values: [...values], query_timeout: timeoutMs }
        return await client.query(query)
      } catch (error) {
        this.#replace(client)
        throw error
      }
    })
  }

  #replace(lost: Client): void {
    if (this.#client !== lost) return
    this.#client = undefined
    void endInTime(lost)
    if (!this.#closing.signal.aborted) this.#reconnecting = this.#reconnect()
  }
}

/** Ends a connection. A dead one may never say that it has ended, so this waits only for a while. */
async function endInTime(client: Client): Promise<void> {
  // A connection that cannot be ended in order is cut by the server, or by the end of this process.
  await untilAborted(client.end(), AbortSignal.timeout(1_000)).catch(() => undefined)
}

function listenQuery(channel: string): PreparedQuery {
  return { name: `listen ${channel}`, text: `listen ${channel}`, values: [] }
}

const checkQuery: PreparedQuery = { name: 'check', text: 'select 1', values: [] }
const notifySql = 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) n(channel, payload)'

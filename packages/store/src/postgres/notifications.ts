import { retry } from '@throughline/protocol/internal'
import type { Client } from 'pg'

/** Text for everybody who listens on a channel. */
export interface PostgresNotification {
  /** Letters, digits and underscores. */
  readonly channel: string
  /** At most 7,999 bytes. */
  readonly payload: string
}

/** What a process tells the others through the database, and hears from them. */
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
    await this.#client?.query(`listen ${channel}`)
  }

  async send(notifications: readonly PostgresNotification[]): Promise<void> {
    if (this.#client === undefined) throw new Error('There is no connection for notifications.')
    const channels = notifications.map(({ channel }) => channel)
    const payloads = notifications.map(({ payload }) => payload)
    await this.#client.query({ name: 'notify', text: notifySql, values: [channels, payloads] })
  }

  onReconnect(heal: () => void): void {
    this.#heals.push(heal)
  }

  check(): void {
    const client = this.#client
    if (client === undefined || this.#isChecking) return
    this.#isChecking = true
    client
      .query('select 1')
      .catch(() => this.#replace(client))
      .finally(() => {
        this.#isChecking = false
      })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#reconnecting
    const client = this.#client
    this.#client = undefined
    await client?.end()
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
      await Promise.all([...this.#hearers.keys()].map(channel => client.query(`listen ${channel}`)))
      for (const heal of this.#heals) heal()
    } catch {
      this.#replace(client)
    }
  }

  async #connect(): Promise<Client> {
    const client = this.#createClient()
    client.on('error', () => this.#replace(client))
    client.on('end', () => this.#replace(client))
    try {
      await client.connect()
      // A notification is only a hint, so its commit need not wait for the disk.
      await client.query('set synchronous_commit = off')
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      client.on('notification', ({ processId, channel, payload = '' }) => {
        if (processId !== rows[0]?.pid) this.#hearers.get(channel)?.(payload)
      })
      return client
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
  }

  #replace(lost: Client): void {
    if (this.#client !== lost) return
    this.#client = undefined
    // On a dead connection this may never end.
    lost.end().catch(() => undefined)
    if (!this.#closing.signal.aborted) this.#reconnecting = this.#reconnect()
  }
}

const notifySql = 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) n(channel, payload)'

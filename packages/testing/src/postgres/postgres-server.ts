/** A running Postgres server for tests. Disposing stops it if it was started for them. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of a database whose user may create databases. */
  readonly url: string
  /** Where the server comes from, for people. */
  readonly origin: string
  /** Whether it was started for this, so that its settings may be changed. */
  readonly isOwn: boolean
}

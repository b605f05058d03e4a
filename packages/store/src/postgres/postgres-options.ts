// In a file of its own: the declarations that people compile against reach it, and `pg` brings no types.

/** How this process uses a Postgres server. */
export interface PostgresOptions {
  /** The greatest number of connections. Default: 10. */
  readonly maxConnections?: number
  /** How long to wait for a connection, in milliseconds. Default: 10,000. */
  readonly connectTimeoutMs?: number
  /** How long to wait for the result of a statement, in milliseconds. Then the connection is given up. Default: 30,000. */
  readonly statementTimeoutMs?: number
  /** Called with what an operator should know. */
  readonly report?: (problem: string) => void
}

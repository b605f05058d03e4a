import type { Connection } from './connection.ts'

const graceMs = 2_000

/** The responses that are under way. */
export class OpenResponses {
  readonly #open = new Set<Connection>()

  add(connection: Connection): void {
    if (connection.closed.aborted) return
    this.#open.add(connection)
    connection.closed.addEventListener('abort', () => this.#open.delete(connection), { once: true })
  }

  /** Waits until all of them are complete. Cuts those that take longer than two seconds: some clients do not read. */
  async finish(): Promise<void> {
    const open = [...this.#open]
    const grace = setTimeout(() => {
      for (const connection of open) connection.cut()
    }, graceMs)
    await Promise.all(open.map(untilClosed))
    clearTimeout(grace)
  }
}

function untilClosed({ closed }: Connection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (closed.aborted) resolve()
  else closed.addEventListener('abort', () => resolve(), { once: true })
  return promise
}

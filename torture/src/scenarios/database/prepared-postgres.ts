import { openPostgresStore } from '@throughline/store/testing'
import {
  executeOn,
  type MachineServer,
  PostgresMachine,
  type PostgresSettings,
} from '@throughline/testing/postgres/postgres-machine'

/** Servers of our own, each with a database that has the tables of Throughline. */
export interface PreparedPostgres extends AsyncDisposable {
  readonly machine: PostgresMachine
  /** Starts a server with its own copy of the database. */
  start(data: string, options?: { readonly settings?: PostgresSettings }): Promise<MachineServer>
}

const template = 'template'

/** Makes a database once. Its copies are made in a moment. */
export async function preparePostgres(): Promise<PreparedPostgres> {
  const machine = await PostgresMachine.open()
  try {
    await machine.createData(template)
    const server = await machine.start(template)
    await executeOn(server, 'create database throughline')
    await (await openPostgresStore(throughlineUrl(server))).close()
    await server.stop('fast')
  } catch (error) {
    await machine[Symbol.asyncDispose]()
    throw error
  }
  return {
    machine,
    async start(data, options = {}) {
      await machine.copyData(template, data)
      return machine.start(data, options)
    },
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  }
}

/** Returns the URL of the database of Throughline on a server. */
export function throughlineUrl({ url }: Pick<MachineServer, 'url'>): string {
  const named = new URL(url)
  named.pathname = '/throughline'
  return named.href
}

import { type Child, startChild } from '../child.ts'

/** Starts a server process on a database. Its agent writes answers by plan. */
export function startNode(databaseUrl: string): Promise<Child> {
  return startChild('./scale/servers/node-process.ts', [], { DATABASE_URL: databaseUrl })
}

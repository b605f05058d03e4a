import { type Child, startChild } from '../child.ts'

/** Starts a server process on a database. Its agent writes answers by plan. */
export function startNode(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Child> {
  return startChild('./scale/servers/node-process.ts', [], { ...env, DATABASE_URL: databaseUrl })
}

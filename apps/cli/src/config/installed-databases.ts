import { existsSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ToolFactory } from '@throughline/agents'
import { type DatabaseConfig, databaseTools, writeKeyOf } from '@throughline/agents/internal'
import type { Config } from '../config.ts'
import { refuse } from './checks.ts'

/** Where the server keeps its own data: a folder, or a database. */
export interface OwnData {
  readonly folder: string
  readonly url: string | undefined
}

/**
 * Returns the tools for the databases of the configuration. A tool that writes is there only if `approvals` names it, and
 * then each of its calls waits for a person. Throws a `SettingError` when a database cannot be meant.
 */
export function installedDatabases(
  { databases = {}, approvals = {} }: Config,
  own: OwnData,
): readonly ToolFactory[] {
  for (const [name, database] of Object.entries(databases)) assertForeign(`databases.${name}`, database, own)
  const writable = Object.keys(databases).filter(name => {
    const key = writeKeyOf(name)
    if (!Object.hasOwn(approvals, key)) return false
    if (approvals[key] !== true)
      refuse(`approvals.${key}`, 'a person must approve every call of this tool, so it can only be true')
    return true
  })
  return databaseTools(databases, new Set(writable))
}

/** The server's own database has the chats of everybody, whoever asks. */
function assertForeign(where: string, database: DatabaseConfig, { folder, url }: OwnData): void {
  const problem =
    "it is the server's own database, which has the chats of all people. Name one of your application"
  if ('postgres' in database) {
    if (isSame(database.postgres, url)) refuse(where, problem)
    return
  }
  if (!existsSync(database.sqlite))
    refuse(where, 'there is no such file. The path is relative to this folder')
  if (existsSync(folder) && realpathSync(database.sqlite).startsWith(join(realpathSync(folder), sep)))
    refuse(where, problem)
}

/** Whether two addresses lead to the same database, with whatever role. */
function isSame(url: string, other: string | undefined): boolean {
  const [one, two] = [URL.parse(url), URL.parse(other ?? '')]
  return one !== null && two !== null && placeOf(one) === placeOf(two)
}

/** Returns the host, the port and the name of a database. The names of hosts may be written in capitals. */
function placeOf({ hostname, port, pathname }: URL): string {
  return JSON.stringify([hostname.toLowerCase(), port || '5432', decoded(pathname)])
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

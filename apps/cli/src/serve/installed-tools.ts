import { existsSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type ToolFactory, toolFactory } from '@throughline/agents'
import { browserTools } from '@throughline/agents/browser'
import {
  type DatabaseConfig,
  databaseTools,
  defaultTools,
  type McpServer,
  mcpKeyPrefix,
  writeKeyOf,
} from '@throughline/agents/internal'
import { didYouMean } from '@throughline/protocol/internal'
import { refuseSetting } from '../config/checks.ts'
import type { Config } from '../config/config.ts'

/** Where the server keeps its own data: a folder, or a database. */
export interface OwnData {
  readonly folder: string
  readonly url: string | undefined
}

/** What the tools of a server need from outside. */
interface InstalledToolsOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the server's own data are. No agent may read these as a database. */
  readonly ownData: OwnData
  /** Hosts on this machine that the browser may reach. */
  readonly pageHosts: readonly string[]
  /** Called with what the operator should know about the browser. */
  readonly warn: (message: string) => void
}

/** Returns the built-in tools, those of the configuration, and those for its databases. */
export function installedTools(
  config: Config,
  { env, ownData, pageHosts, warn }: InstalledToolsOptions,
): readonly ToolFactory[] {
  const { tools = {}, allowHosts = [] } = config
  return [
    ...defaultTools({ env, allowHosts }),
    ...browserTools({ env, warn, allowHosts: [...allowHosts, ...pageHosts] }),
    ...Object.entries(tools).map(([key, tool]) => toolFactory(key, tool)),
    ...installedDatabases(config, ownData),
  ]
}

/** Throws when a tool of the configuration has the key of a built-in tool. */
export function assertFreeKeys(tools: readonly ToolFactory[]): void {
  const keys = new Set<string>()
  for (const { key } of tools) {
    if (keys.has(key)) refuseSetting(`tools.${key}`, 'there is a tool of this key already. Rename yours.')
    keys.add(key)
  }
}

/**
 * Returns the tools for the databases of the configuration. A tool that writes is there only if `approvals` names it, and
 * then each of its calls waits for a person. Throws a `SettingError` when a database cannot be meant.
 */
function installedDatabases(
  { databases = {}, approvals = {} }: Config,
  own: OwnData,
): readonly ToolFactory[] {
  for (const [name, database] of Object.entries(databases)) assertForeign(`databases.${name}`, database, own)
  const writable = Object.keys(databases).filter(name => {
    const key = writeKeyOf(name)
    if (!Object.hasOwn(approvals, key)) return false
    if (approvals[key] !== true)
      refuseSetting(
        `approvals.${key}`,
        'a person must approve every call of this tool, so it can only be true',
      )
    return true
  })
  return databaseTools(databases, new Set(writable))
}

/** The server's own database has the chats of everybody, whoever asks. */
function assertForeign(where: string, database: DatabaseConfig, { folder, url }: OwnData): void {
  const problem =
    "it is the server's own database, which has the chats of all people. Name one of your application"
  if ('postgres' in database) {
    if (isSame(database.postgres, url)) refuseSetting(where, problem)
    return
  }
  if (!existsSync(database.sqlite))
    refuseSetting(where, 'there is no such file. The path is relative to this folder')
  if (existsSync(folder) && realpathSync(database.sqlite).startsWith(join(realpathSync(folder), sep)))
    refuseSetting(where, problem)
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

/**
 * Returns the tools, and marks those that a person must approve. Throws a `SettingError` when a rule names a tool that
 * does not exist: the rule was probably meant for another tool, which would then run without approval. A tool that is
 * only missing for now is no error.
 */
export function withApprovals(
  tools: readonly ToolFactory[],
  { approvals = {} }: Config,
  whyAbsent: (key: string) => string | undefined,
): readonly ToolFactory[] {
  const keys = tools.map(({ key }) => key)
  for (const key of Object.keys(approvals)) {
    if (!keys.includes(key) && whyAbsent(key) === undefined)
      refuseSetting('approvals', `there is no tool ${JSON.stringify(key)}. ${didYouMean(key, keys)}`)
  }
  return tools.map(factory => {
    const needsApproval = Object.hasOwn(approvals, factory.key) ? approvals[factory.key] : undefined
    return needsApproval === undefined ? factory : { ...factory, needsApproval }
  })
}

/**
 * Returns the tools, and marks those whose calls may be repeated after a crash. Throws a `SettingError` for a key of no
 * tool. A tool that is only missing for now is no error.
 */
export function withIdempotent(
  tools: readonly ToolFactory[],
  { idempotent = [] }: Config,
  whyAbsent: (key: string) => string | undefined,
): readonly ToolFactory[] {
  const keys = tools.map(({ key }) => key)
  for (const key of idempotent) {
    if (!keys.includes(key) && whyAbsent(key) === undefined)
      refuseSetting('idempotent', `there is no tool ${JSON.stringify(key)}. ${didYouMean(key, keys)}`)
  }
  return tools.map(factory => (idempotent.includes(factory.key) ? { ...factory, idempotent: true } : factory))
}

/**
 * Returns a function that says why a tool is missing although its key is right, such as a setting that it needs. The
 * function returns `undefined` for a key that is unknown.
 */
export function absentTools(
  servers: Readonly<Record<string, McpServer>>,
  tools: readonly ToolFactory[],
): (key: string) => string | undefined {
  const isThere = (prefix: string) => tools.some(({ key }) => key.startsWith(prefix))
  // With "*", the tools of a server are known only when the server was reached.
  const unknown = Object.entries(servers)
    .filter(([, server]) => server.tools.includes('*'))
    .map(([name]) => ({ name, prefix: mcpKeyPrefix(name) }))
    .filter(({ prefix }) => !isThere(prefix))
  return key => {
    if (key === 'web_search') return 'set SEARXNG_URL, BRAVE_SEARCH_API_KEY or TAVILY_API_KEY.'
    const server = unknown.find(({ prefix }) => key.startsWith(prefix))
    return server && `the MCP server "${server.name}" could not be reached, so its tools are not known.`
  }
}

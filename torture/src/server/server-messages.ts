import type { DiskState } from './disk-state.ts'
import type { FailPoint } from './fail-point.ts'

/** What the torture tells its server process. */
export type ServerRequest = OpenRequest | { readonly type: 'disk'; readonly state: DiskState }

/** Opens the store in a folder, and starts the server. */
export interface OpenRequest {
  readonly type: 'open'
  readonly folder: string
  /** The process is one of several nodes on a Postgres database. Otherwise its store is in the folder. */
  readonly node: NodeSettings | undefined
  /** Where the process kills itself. */
  readonly failPoint: FailPoint | undefined
  /** The model provider of the agent `model`. Without it there is no such agent. */
  readonly providerUrl: string | undefined
  /** Whether the process saves the code that it has compiled, for the next ones. */
  readonly keepsCode: boolean
}

/** Where a node works. */
export interface NodeSettings {
  readonly databaseUrl: string
  /** Gets a line each time that a tool does its work. */
  readonly effectsFile: string
}

/** What became of an `OpenRequest`. A process that was refused ends. */
export type ServerReport =
  | { readonly type: 'open'; readonly url: string }
  | { readonly type: 'refused'; readonly name: string; readonly message: string }

export function isServerRequest(value: unknown): value is ServerRequest {
  return hasType(value, ['open', 'disk'])
}

export function isServerReport(value: unknown): value is ServerReport {
  return hasType(value, ['open', 'refused'])
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && types.includes(String(value.type))
}

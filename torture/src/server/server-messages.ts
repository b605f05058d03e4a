import type { DiskState } from './disk-state.ts'
import type { FailPoint } from './fail-point.ts'

/** What the torture tells its server process. */
export type ServerRequest =
  | OpenRequest
  | { readonly type: 'disk'; readonly state: DiskState }
  /** Sets the clock of the process wrong by `skewMs` milliseconds from now on. */
  | { readonly type: 'clock'; readonly skewMs: number }
  /** Makes a backup of the store, while it is used. */
  | { readonly type: 'back-up'; readonly target: string }

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
  readonly store: NodeStore
  /** Gets a line each time that a tool does its work. */
  readonly effectsFile: string
  /** Where the channel `hook` posts. Without it there is no channel. */
  readonly hookUrl: string | undefined
  /** How wrong the clock of the node is at first, in milliseconds. Default: 0. */
  readonly skewMs?: number
  /** Where the node listens; 0 for anywhere. */
  readonly port: number
}

/** Where a node keeps its data. */
export type NodeStore =
  | { readonly type: 'postgres'; readonly url: string }
  | { readonly type: 'sqlite'; readonly folder: string }

/** What became of a request. A process whose store or server does not open ends. */
export type ServerReport =
  | { readonly type: 'open'; readonly url: string }
  | { readonly type: 'backed-up' }
  | { readonly type: 'refused'; readonly name: string; readonly message: string }

export function isServerRequest(value: unknown): value is ServerRequest {
  return hasType(value, ['open', 'disk', 'clock', 'back-up'])
}

export function isServerReport(value: unknown): value is ServerReport {
  return hasType(value, ['open', 'backed-up', 'refused'])
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && types.includes(String(value.type))
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Limits } from '@throughline/agents/limits'
import type { McpServer } from '@throughline/agents/mcp/mcp-server'
import type { Prices } from '@throughline/agents/prices/price'
import type { MasterAgentOptions } from '@throughline/agents/sub-agents/master-agent'
import { SubAgent } from '@throughline/agents/sub-agents/sub-agent'
import type { ToolFactory } from '@throughline/agents/tools/tool-factory-registry'
import type { ChannelConfig } from './channels.ts'
import { SettingError } from './settings.ts'

/** What a `throughline.config.ts` can say. */
export interface Config {
  /** The agent that talks to people. */
  readonly master?: Partial<MasterAgentOptions>
  /** Agents that others can delegate to; see `defineAgent`. */
  readonly agents?: readonly SubAgent[]
  /** More tools, by key, made with the AI SDK's own `tool()`. */
  readonly tools?: Readonly<Record<string, ReturnType<ToolFactory['make']>>>
  /** Servers that speak the Model Context Protocol, by name; their tools have keys like `name_tool`. */
  readonly mcp?: Readonly<Record<string, McpServer>>
  /** Tools that a person must approve, by key: always, or as the input says. */
  readonly approvals?: Readonly<Record<string, true | ((input: unknown) => boolean)>>
  /**
   * US dollars per million tokens, by `provider:model`. A price here takes the place of the built-in one; see
   * docs/guides/prices.md.
   */
  readonly prices?: Prices
  readonly limits?: Partial<Limits>
  /** Where else people talk with the agents, by name. */
  readonly channels?: Readonly<Record<string, ChannelConfig>>
  /** Hosts that agents may reach although they are not public, e.g. `intranet.example:8080`. */
  readonly allowHosts?: readonly string[]
}

export function defineConfig(config: Config): Config {
  return config
}

/** The configuration beside which the server was started; nothing when there is none. */
export async function loadConfig(folder: string): Promise<Config> {
  const path = resolve(folder, 'throughline.config.ts')
  if (!existsSync(path)) return {}
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  if (isConfig(loaded.default)) return loaded.default
  throw new SettingError('throughline.config.ts', 'has no default export made with defineConfig({...}).')
}

function isConfig(value: unknown): value is Config {
  if (typeof value !== 'object' || value === null) return false
  const { agents = [] } = 'agents' in value ? value : {}
  return Array.isArray(agents) && agents.every(agent => agent instanceof SubAgent)
}

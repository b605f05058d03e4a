import type { MasterAgentOptions } from '@throughline/agents/delegation/master-agent'
import type { SubAgent } from '@throughline/agents/delegation/sub-agent'
import type { McpServer } from '@throughline/agents/mcp/mcp-server'
import type { Prices } from '@throughline/agents/prices/price'
import type { Limits } from '@throughline/agents/run/limits'
import type { ToolFactory } from '@throughline/agents/run/tool-factory-registry'
import type { ChannelConfig } from './config/channel-config.ts'

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
  /** How answers are sent. */
  readonly stream?: StreamConfig
  /** Where else people talk with the agents, by name. */
  readonly channels?: Readonly<Record<string, ChannelConfig>>
  /** Hosts that agents may reach although they are not public, e.g. `intranet.example:8080`. */
  readonly allowHosts?: readonly string[]
}

export interface StreamConfig {
  /** How long text may wait to be joined with what comes next, in milliseconds: 50. At most 1,000. */
  readonly maxDelayMs?: number
  /** How many characters may wait: 10. At most 10,000. */
  readonly maxChars?: number
  /** How often an idle stream says that it is alive, in milliseconds: 15,000. From 1,000 to 25,000. */
  readonly heartbeatMs?: number
}

/**
 * Returns the configuration as it is. Its types help an editor to complete and check it.
 *
 * @public
 */
export function defineConfig(config: Config): Config {
  return config
}

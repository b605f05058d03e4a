import type {
  Agent,
  KeyedAgent,
  Limits,
  MasterAgentOptions,
  Prices,
  ToolWithModes,
} from '@throughline/agents'
import type { DatabaseConfig, McpServer } from '@throughline/agents/internal'
import type { Channel, DeliveryOptions } from '@throughline/channels'
import type { Authenticate, Retention } from '@throughline/server'

/** The options of a `throughline.config.ts`. All of them may be left out. */
export interface Config {
  /**
   * The default agent, which answers when a request names none: its name, its model, its instructions and its tools. Or
   * the name of an agent in `agents`: then that agent is the default, and no other master is made.
   */
  readonly master?: Partial<MasterAgentOptions> | string
  /**
   * More agents. In an object, the keys are their names, people can talk to each of them, and other agents can delegate
   * to them. In a list, other agents can only delegate to them. Make an agent with `defineAgent`, `fromAiSdk` or
   * `remoteAgent`, or use any object with `run(request)`.
   */
  readonly agents?: ConfigAgents
  /**
   * More models that people may choose for an answer, besides the agent's own: names as in `THROUGHLINE_MODEL`, or models
   * of the AI SDK. Those in `THROUGHLINE_MODELS` may be chosen too. Default: none, and nothing is to choose.
   */
  readonly models?: readonly NonNullable<Agent['model']>[]
  /**
   * More tools, by key. Make each with the AI SDK's `tool()`. A key has up to 64 letters, digits, `_` and `-`. With `modes`,
   * agents have the tool only in these modes.
   */
  readonly tools?: Readonly<Record<string, ToolWithModes>>
  /** Servers that speak the Model Context Protocol, by name. The key of a tool is `name_tool`. */
  readonly mcp?: Readonly<Record<string, McpServer>>
  /**
   * Databases that agents may read, by name: `{ sqlite: './shop.db' }` or `{ postgres: url }`. The keys of their tools are
   * `name_tables`, `name_describe` and `name_select`. With `approvals: { name_write: true }` there is also `name_write`.
   * See docs/guides/databases.md.
   */
  readonly databases?: Readonly<Record<string, DatabaseConfig>>
  /** Tools that a person must approve, by key: `true` for every call, or a function that decides by the input. */
  readonly approvals?: Readonly<Record<string, true | ((input: unknown) => boolean)>>
  /**
   * The keys of tools whose calls may be repeated: a second call with the same input, or with the same
   * `toolContext().idempotencyKey`, has no further effect. See docs/guides/crashes.md.
   */
  readonly idempotent?: readonly string[]
  /**
   * Prices in US dollars per million tokens, by `provider:model`. A price here replaces the built-in one; see
   * docs/guides/prices.md.
   */
  readonly prices?: Prices
  /** What a run may use: time, tokens, steps, sub-agents, output. A limit that is left out has its default. */
  readonly limits?: Partial<Limits>
  /** How text is joined on its way into the log, and how idle streams are kept alive. */
  readonly stream?: StreamConfig
  /**
   * How long the entries of finished runs are kept in the logs of chats. Messages are kept in any case. Default:
   * everything is kept. See docs/guides/storage.md.
   */
  readonly retention?: Retention
  /**
   * Whether answers go on after the server died while it wrote them. With `false` they end as `interrupted`. Default:
   * true. See docs/guides/crashes.md.
   */
  readonly continue?: boolean
  /**
   * Whether a model gives each chat a title after its first answer, with one short call. With `false`, the first words of
   * its first message stay its title. Default: true with a model of `THROUGHLINE_MODEL`, false with the demo model.
   */
  readonly titles?: boolean
  /**
   * Whether people can share a copy of a chat by a link. With `false` there are no new links, and those that there are
   * lead nowhere. Default: true. See docs/guides/share.md.
   */
  readonly sharing?: boolean
  /**
   * Whether requests of AG-UI and OpenAI clients may bring tools of their own, which the client runs. With `false` these
   * tools are ignored. Default: true. See docs/guides/client-tools.md.
   */
  readonly clientTools?: boolean
  /** Other places where people talk with the agents, such as Telegram, by name. */
  readonly channels?: Readonly<Record<string, ChannelConfig>>
  /**
   * Finds out who sends a request, for example from a session cookie of your application; see docs/guides/users.md.
   * Default: tokens, or the one local owner.
   */
  readonly authenticate?: Authenticate
  /**
   * How long `authenticate` may take, in milliseconds. From 100 to 60,000. Default: 10,000. After that the client gets a 503.
   */
  readonly authenticateMs?: number
  /**
   * Other origins whose pages may use the server, such as `https://app.example`. Those in `THROUGHLINE_ORIGINS` may use
   * it too. Default: none.
   */
  readonly origins?: readonly string[]
  /** How long a ticket for the streams of a chat can be used, in milliseconds. From 1,000 to 3,600,000. Default: 60,000. */
  readonly ticketMs?: number
  /**
   * The path below which everything is served, such as `/ai`: the routes, the page and its files. Default: the root of
   * the server.
   */
  readonly basePath?: string
  /**
   * The folder of your own page, built: it is served in place of the page of Throughline. Relative to the folder in which
   * the process is started. Default: the page of Throughline.
   */
  readonly page?: string
  /** Hosts that tools may reach although they are not public, such as `intranet.example:8080`. Default: none. */
  readonly allowHosts?: readonly string[]
}

/** How answers are written to the log and sent to pages. All fields may be left out. */
export interface StreamConfig {
  /** How long text may wait to be joined with later text, in milliseconds. From 0 to 1,000. Default: 50. */
  readonly maxDelayMs?: number
  /** How many characters of a part may wait. From 1 to 10,000. Default: 10. */
  readonly maxChars?: number
  /** How often an idle stream sends a heartbeat, in milliseconds. From 1,000 to 25,000. Default: 15,000. */
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

/** A channel in a `throughline.config.ts`. */
export interface ChannelConfig extends DeliveryOptions {
  /** Made with `telegramChannel`, `webhookChannel` or your own code. */
  readonly channel: Channel
  /**
   * The user whose chats its conversations are: one of `THROUGHLINE_TOKENS`, or an `ownerId` of `authenticate`. Default:
   * `local`; with `authenticate` there is no default.
   */
  readonly owner?: string
  /** The agent that writes the answers. Default: the master. */
  readonly agent?: string
  /** The workspace in which its agents work: they also have the agents of that workspace. Default: none. */
  readonly workspaceId?: string
  /** The page of your application that its people are on: agents with `pageIds` are there if it is one of them. Default: none. */
  readonly pageId?: string
}

/** An agent in a list. Without a key, it needs a name. */
export type AgentInList = KeyedAgent & Pick<Agent, 'name'>

/** The agents of a configuration. People can talk to those in an object; those in a list are sub-agents only. */
export type ConfigAgents = readonly AgentInList[] | Readonly<Record<string, KeyedAgent>>

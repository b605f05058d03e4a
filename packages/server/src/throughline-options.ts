import type { Agent } from '@throughline/agents'
import type { BatchOptions } from '@throughline/log'
import type { Store } from '@throughline/store'
import type { Logger } from 'pino'
import type { InstalledChannel } from './channels/installed-channel.ts'
import type { KnownKey } from './http/request/context.ts'
import type { Authenticate } from './http/sign-in/identity.ts'
import type { Tokens } from './http/sign-in/token-table.ts'
import type { Retention } from './log-sweeper.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { AgentSystem } from './who/agent-system.ts'

/** The options of `createThroughline` and `startServer`. Only `store` and `agents` are needed. */
export interface ThroughlineOptions {
  /** Where chats, runs and logs are stored. Throughline does not close it. */
  readonly store: Store
  /** The agents that people can talk to. The first one answers when a request names none. */
  readonly agents: readonly Agent[]
  /** Tools, sub-agents, limits and prices. Without it, agents have only what they bring themselves. */
  readonly system?: AgentSystem
  /** Other places where people talk with the agents, such as Telegram, by name. Default: none. */
  readonly channels?: ReadonlyMap<string, InstalledChannel> | undefined
  /** Default: a logger that writes warnings and errors to the standard output. */
  readonly logger?: Logger | undefined
  /**
   * The path below which everything is served, such as `/ai`: the routes, the page and its files. Default: the root of
   * the server.
   */
  readonly basePath?: string | undefined
  /** The host names of the server, besides the loopback names. Requests to other names are refused. */
  readonly hosts?: readonly string[] | undefined
  /**
   * Other origins whose pages may use the server, such as `https://app.example`. Default: none. See
   * docs/guides/users.md.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * The owner that each token stands for. Without tokens and without `authenticate`, everybody is the owner `local`, and
   * connections from other machines are refused. A function returns the tokens that are valid now, and another map when they
   * change. It is called for each request. With a function, an empty map lets nobody in. Default: no tokens.
   */
  readonly tokens?: Tokens | undefined
  /**
   * Finds out who sends a request, for example from a session cookie of your application. It is called for every request
   * that has no known token. When it returns `undefined`, the client gets a 401. See docs/guides/users.md.
   */
  readonly authenticate?: Authenticate | undefined
  /**
   * How long `authenticate` may take, in milliseconds. Then the `signal` of its request aborts, and the client gets a 503.
   * Default: 10,000.
   */
  readonly authenticateMs?: number | undefined
  /**
   * The owners who may see how the server itself is doing: see docs/guides/status.md. Default: the only owner that there
   * is. When there are several, or with `authenticate`, nobody.
   */
  readonly operators?: readonly string[] | undefined
  /** Which keys of providers are set. Operators see them on the page. Default: nothing is known about keys. */
  readonly keys?: readonly KnownKey[] | undefined
  /**
   * How long a ticket for the streams of a chat can be used, in milliseconds. Default: 60,000. See docs/guides/users.md.
   */
  readonly ticketMs?: number | undefined
  /**
   * The folder of the built page. Without it there is no page, only the HTTP interface. Its files get a content security
   * policy: scripts only from files, requests only to this server. See docs/decisions/0023-content-security-policy.md.
   */
  readonly pageFolder?: string | undefined
  /** How text is joined on its way into the log. Default: text waits for at most 50 ms or 10 characters. */
  readonly batching?: Pick<BatchOptions, 'maxDelayMs' | 'maxChars'> | undefined
  /**
   * How often an idle stream sends a heartbeat, in milliseconds. At most 25,000, because clients give up after 30
   * seconds of silence. Default: 15,000.
   */
  readonly heartbeatMs?: number | undefined
  /**
   * How long a viewer of a stream may read nothing before its connection is closed, in milliseconds. Default: 30,000.
   */
  readonly maxStallMs?: number | undefined
  /**
   * How long the entries of finished runs are kept in the logs of chats. Saved messages are kept in any case. Default:
   * everything is kept. See docs/guides/storage.md.
   */
  readonly retention?: Retention | undefined
  /**
   * Whether answers go on after the process that wrote them died. With `false` they end as `interrupted`. Default: true.
   * See docs/guides/crashes.md.
   */
  readonly continue?: boolean | undefined
  /**
   * Whether a model gives each chat a title after its first answer: the model of the agent that answered, with one short
   * call. Otherwise the first words of its first message are the title. Default: false.
   */
  readonly titles?: boolean | undefined
  /**
   * Whether people can share a copy of a chat by a link, which everybody who has it can read. With `false` there are no
   * new links, and those that there are lead nowhere. Default: true. See docs/guides/share.md.
   */
  readonly sharing?: boolean | undefined
  /**
   * Whether requests of AG-UI and OpenAI clients may bring tools of their own, which the client runs. With `false` these
   * tools are ignored. Tools without `execute` in the configuration are not affected. Default: true. See
   * docs/guides/client-tools.md.
   */
  readonly clientTools?: boolean | undefined
  /**
   * How long the process still takes requests after it has begun to go down, in milliseconds: see `Throughline.drain`. Longer
   * than a load balancer needs to notice that `/ready` fails, and than it keeps idle connections. Default: 5,000 when other
   * nodes share the store, otherwise 0.
   */
  readonly drainMs?: number | undefined
  /**
   * How long a process that goes down keeps responses open that show one answer, while another node goes on with the answer,
   * in milliseconds. Default: 15,000.
   */
  readonly finishMs?: number | undefined
  /** What the server counts and measures: see `createMetrics`. One object per server. Default: nothing. */
  readonly metrics?: Metrics | undefined
  /** The clock. Default: that of the store, so that all nodes have the same time. */
  readonly now?: (() => Date) | undefined
}

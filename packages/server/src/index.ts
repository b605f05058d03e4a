// The entry point `@throughline/server`.

/** @public */
export type { InstalledChannel } from './channels/installed-channel.ts'
/** @public */
export { createThroughline, type ListedAgent, type Throughline } from './create-throughline.ts'
/** @public */
export type { ChatToFollow, FollowedEntry } from './embed/follow-chat.ts'
/** @public */
export type { NamedChat } from './embed/named-chat.ts'
/** @public */
export type { ChatMessages, ChatReader } from './embed/read-chats.ts'
/** @public */
export type { MessageToSend, SentMessage } from './embed/send-message.ts'
/** @public */
export type { KnownKey } from './http/request/context.ts'
/** @public */
export type { Authenticate, Identity } from './http/sign-in/identity.ts'
/** @public */
export type { Tokens } from './http/sign-in/token-table.ts'
/** @public */
export type { Retention } from './log-sweeper.ts'
/** @public */
export { createMetrics } from './metrics/create-metrics.ts'
/** @public */
export type { Levels, Metrics } from './metrics/metrics.ts'
/** @public */
export type { MetricsAddress } from './metrics/metrics-listener.ts'
/** @public */
export { StartError } from './refusals/start-error.ts'
/** @public */
export { createServerLog } from './server-log.ts'
/** @public */
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts'
/** @public */
export type { ThroughlineOptions } from './throughline-options.ts'
/** @public */
export { type AgentSystem, agentSystem } from './who/agent-system.ts'

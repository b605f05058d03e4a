import type { Agent } from '@throughline/agents'
import type { OwnerId } from '@throughline/protocol'
import {
  type AgentSystem,
  type Authenticate,
  agentSystem,
  type ChatMessages,
  type ChatReader,
  type ChatToFollow,
  createMetrics,
  createServerLog,
  createThroughline,
  type FollowedEntry,
  type Identity,
  type InstalledChannel,
  type KnownKey,
  type Levels,
  type ListedAgent,
  type MessageToSend,
  type Metrics,
  type MetricsAddress,
  type NamedChat,
  type Retention,
  type RunningServer,
  type SentMessage,
  type ServerOptions,
  StartError,
  startServer,
  type Throughline,
  type ThroughlineOptions,
  type Tokens,
} from '@throughline/server'
import type { Logger } from 'pino'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof InstalledChannel>().toEqualTypeOf<
  'agent' | 'channel' | 'delivery' | 'ownerId' | 'pageId' | 'workspaceId'
>()
expectTypeOf(createThroughline).toEqualTypeOf<(options: ThroughlineOptions) => Promise<Throughline>>()
expectTypeOf<ListedAgent>().toEqualTypeOf<Pick<Agent, 'name' | 'displayName' | 'description' | 'examples'>>()
expectTypeOf<Throughline['fetch']>().toBeCallableWith(new Request('http://localhost'))
expectTypeOf<keyof Throughline>().toEqualTypeOf<
  | keyof AsyncDisposable
  | 'agents'
  | 'chats'
  | 'close'
  | 'drain'
  | 'fetch'
  | 'follow'
  | 'handle'
  | 'send'
  | 'stop'
>()
expectTypeOf<keyof ChatToFollow>().toEqualTypeOf<'after' | 'chatId' | 'ownerId' | 'runId' | 'signal'>()
expectTypeOf<keyof FollowedEntry>().toEqualTypeOf<
  'at' | 'chunk' | 'messageId' | 'position' | 'runId' | 'seq'
>()
expectTypeOf<keyof NamedChat>().toEqualTypeOf<'chatId' | 'ownerId'>()
expectTypeOf<keyof ChatMessages>().toEqualTypeOf<'messages' | 'position'>()
expectTypeOf<keyof ChatReader>().toEqualTypeOf<'get' | 'list' | 'messages'>()
expectTypeOf<keyof MessageToSend>().toEqualTypeOf<
  | 'after'
  | 'agent'
  | 'chatId'
  | 'context'
  | 'displayName'
  | 'message'
  | 'messageId'
  | 'model'
  | 'onBusy'
  | 'ownerId'
  | 'roles'
  | 'text'
  | 'tools'
>()
expectTypeOf<keyof SentMessage>().toEqualTypeOf<
  'chatId' | 'messageId' | 'position' | 'responseMessageId' | 'runId'
>()
expectTypeOf<Authenticate>().toEqualTypeOf<
  (request: Request) => Identity | undefined | Promise<Identity | undefined>
>()
expectTypeOf<keyof Identity>().toEqualTypeOf<'displayName' | 'ownerId' | 'roles' | 'tools'>()
expectTypeOf<Tokens>().toEqualTypeOf<ReadonlyMap<string, OwnerId> | (() => ReadonlyMap<string, OwnerId>)>()
expectTypeOf<keyof Retention>().toEqualTypeOf<'maxAgeDays' | 'maxEntriesPerChat'>()
expectTypeOf(createMetrics).toEqualTypeOf<() => Promise<Metrics>>()
expectTypeOf<keyof Levels>().toEqualTypeOf<'activeRuns' | 'deliveries' | 'viewers' | 'waitingSubmissions'>()
expectTypeOf<keyof Metrics>().toEqualTypeOf<
  'contentType' | 'endedDeadly' | 'measured' | 'runEnded' | 'runStarted' | 'text' | 'tookOver' | 'watch'
>()
expectTypeOf<keyof MetricsAddress>().toEqualTypeOf<'host' | 'port'>()
expectTypeOf<keyof AgentSystem>().toEqualTypeOf<
  | 'connections'
  | 'defaultModel'
  | 'definable'
  | 'hideSecrets'
  | 'limits'
  | 'models'
  | 'prices'
  | 'subAgents'
  | 'subAgentsOf'
  | 'tools'
  | 'whyAbsent'
>()
expectTypeOf<keyof NonNullable<Parameters<typeof agentSystem>[0]>>().toEqualTypeOf<
  | 'connections'
  | 'defaultModel'
  | 'definitions'
  | 'hideSecrets'
  | 'limits'
  | 'models'
  | 'prices'
  | 'subAgents'
  | 'tools'
  | 'whyAbsent'
>()
expectTypeOf(agentSystem).returns.toEqualTypeOf<AgentSystem>()
expectTypeOf<keyof NonNullable<Parameters<typeof createServerLog>[0]>>().toEqualTypeOf<
  'destination' | 'hide' | 'level'
>()
expectTypeOf(createServerLog).returns.toEqualTypeOf<Logger>()
expectTypeOf(StartError).constructorParameters.toEqualTypeOf<[code: StartError['code'], message: string]>()
expectTypeOf<StartError>().toExtend<Error>()
expectTypeOf<StartError['code']>().toEqualTypeOf<
  'agents' | 'basePath' | 'host' | 'metrics' | 'origins' | 'stream'
>()
expectTypeOf<keyof StartError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof RunningServer>().toEqualTypeOf<
  keyof AsyncDisposable | 'close' | 'drain' | 'metricsUrl' | 'url'
>()
expectTypeOf<keyof ServerOptions>().toEqualTypeOf<
  | 'agents'
  | 'authenticate'
  | 'authenticateMs'
  | 'basePath'
  | 'batching'
  | 'channels'
  | 'clientTools'
  | 'continue'
  | 'drainMs'
  | 'finishMs'
  | 'heartbeatMs'
  | 'host'
  | 'hosts'
  | 'keys'
  | 'logger'
  | 'maxStallMs'
  | 'metrics'
  | 'metricsAt'
  | 'now'
  | 'operators'
  | 'origins'
  | 'pageFolder'
  | 'port'
  | 'retention'
  | 'sharing'
  | 'store'
  | 'system'
  | 'ticketMs'
  | 'titles'
  | 'tokens'
>()
expectTypeOf(startServer).toEqualTypeOf<(options: ServerOptions) => Promise<RunningServer>>()
expectTypeOf<keyof KnownKey>().toEqualTypeOf<'isSet' | 'name'>()
expectTypeOf<keyof ThroughlineOptions>().toEqualTypeOf<
  | 'agents'
  | 'authenticate'
  | 'authenticateMs'
  | 'basePath'
  | 'batching'
  | 'channels'
  | 'clientTools'
  | 'continue'
  | 'drainMs'
  | 'finishMs'
  | 'heartbeatMs'
  | 'hosts'
  | 'keys'
  | 'logger'
  | 'maxStallMs'
  | 'metrics'
  | 'now'
  | 'operators'
  | 'origins'
  | 'pageFolder'
  | 'retention'
  | 'sharing'
  | 'store'
  | 'system'
  | 'ticketMs'
  | 'titles'
  | 'tokens'
>()

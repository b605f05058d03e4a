import type * as agents from '@throughline/agents'
import type * as channels from '@throughline/channels'
import type * as server from '@throughline/server'
import type * as store from '@throughline/store'
import type * as throughline from 'throughline'
import {
  type Authenticate,
  type Channel,
  ChannelError,
  type ChatMessages,
  type ChatReader,
  type ChatToFollow,
  type Config,
  createMetrics,
  createThroughline,
  defineConfig,
  type FollowedEntry,
  type Identity,
  type Levels,
  type ListedAgent,
  type MessageToSend,
  type Metrics,
  type NamedChat,
  type Retention,
  type SentMessage,
  SettingError,
  SqlError,
  StartError,
  type StreamConfig,
  type TelegramOptions,
  type Throughline,
  type ThroughlineOptions,
  telegramChannel,
  type WebhookOptions,
  webhookChannel,
} from 'throughline'
import { expectTypeOf } from 'vitest'

expectTypeOf<Channel>().toEqualTypeOf<channels.Channel>()
expectTypeOf(ChannelError).toEqualTypeOf<typeof channels.ChannelError>()
expectTypeOf<TelegramOptions>().toEqualTypeOf<channels.TelegramOptions>()
expectTypeOf(telegramChannel).toEqualTypeOf<typeof channels.telegramChannel>()
expectTypeOf<WebhookOptions>().toEqualTypeOf<channels.WebhookOptions>()
expectTypeOf(webhookChannel).toEqualTypeOf<typeof channels.webhookChannel>()
expectTypeOf<Authenticate>().toEqualTypeOf<server.Authenticate>()
expectTypeOf<ChatMessages>().toEqualTypeOf<server.ChatMessages>()
expectTypeOf<ChatReader>().toEqualTypeOf<server.ChatReader>()
expectTypeOf<ChatToFollow>().toEqualTypeOf<server.ChatToFollow>()
expectTypeOf(createMetrics).toEqualTypeOf<typeof server.createMetrics>()
expectTypeOf<FollowedEntry>().toEqualTypeOf<server.FollowedEntry>()
expectTypeOf<Identity>().toEqualTypeOf<server.Identity>()
expectTypeOf<Levels>().toEqualTypeOf<server.Levels>()
expectTypeOf<ListedAgent>().toEqualTypeOf<server.ListedAgent>()
expectTypeOf<MessageToSend>().toEqualTypeOf<server.MessageToSend>()
expectTypeOf<Metrics>().toEqualTypeOf<server.Metrics>()
expectTypeOf<NamedChat>().toEqualTypeOf<server.NamedChat>()
expectTypeOf<Retention>().toEqualTypeOf<server.Retention>()
expectTypeOf<SentMessage>().toEqualTypeOf<server.SentMessage>()
expectTypeOf(StartError).toEqualTypeOf<typeof server.StartError>()
expectTypeOf<Throughline>().toEqualTypeOf<server.Throughline>()
expectTypeOf(SqlError).toEqualTypeOf<typeof store.SqlError>()
expectTypeOf<typeof throughline>().toExtend<typeof agents>()
expectTypeOf<keyof Config>().toEqualTypeOf<
  | 'agents'
  | 'allowHosts'
  | 'approvals'
  | 'authenticate'
  | 'authenticateMs'
  | 'basePath'
  | 'channels'
  | 'clientTools'
  | 'continue'
  | 'databases'
  | 'idempotent'
  | 'limits'
  | 'master'
  | 'mcp'
  | 'models'
  | 'origins'
  | 'page'
  | 'prices'
  | 'retention'
  | 'sharing'
  | 'stream'
  | 'ticketMs'
  | 'titles'
  | 'tools'
>()
expectTypeOf(defineConfig).toEqualTypeOf<(config: Config) => Config>()
expectTypeOf<keyof StreamConfig>().toEqualTypeOf<'heartbeatMs' | 'maxChars' | 'maxDelayMs'>()
expectTypeOf(createThroughline).toEqualTypeOf<(options?: ThroughlineOptions) => Promise<Throughline>>()
expectTypeOf<keyof ThroughlineOptions>().toEqualTypeOf<
  | 'agents'
  | 'allowHosts'
  | 'approvals'
  | 'authenticate'
  | 'authenticateMs'
  | 'basePath'
  | 'channels'
  | 'clientTools'
  | 'continue'
  | 'data'
  | 'database'
  | 'databases'
  | 'env'
  | 'hosts'
  | 'idempotent'
  | 'limits'
  | 'logger'
  | 'master'
  | 'mcp'
  | 'metrics'
  | 'models'
  | 'origins'
  | 'page'
  | 'prices'
  | 'retention'
  | 'sharing'
  | 'stream'
  | 'ticketMs'
  | 'titles'
  | 'tools'
>()
expectTypeOf(SettingError).constructorParameters.toEqualTypeOf<[setting: string, problem: string]>()
expectTypeOf<SettingError>().toExtend<Error>()
expectTypeOf<keyof SettingError>().toEqualTypeOf<
  'cause' | 'message' | 'name' | 'problem' | 'setting' | 'stack'
>()

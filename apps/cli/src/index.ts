// The entry point `throughline`: everything that an application needs on its server.

/** @public */
export * from '@throughline/agents'
/** @public */
export {
  type Channel,
  ChannelError,
  type TelegramOptions,
  telegramChannel,
  type WebhookOptions,
  webhookChannel,
} from '@throughline/channels'
/** @public */
export {
  type Authenticate,
  type ChatMessages,
  type ChatReader,
  type ChatToFollow,
  createMetrics,
  type FollowedEntry,
  type Identity,
  type Levels,
  type ListedAgent,
  type MessageToSend,
  type Metrics,
  type NamedChat,
  type Retention,
  type SentMessage,
  StartError,
  type Throughline,
} from '@throughline/server'
/** @public */
export { SqlError } from '@throughline/store'
/** @public */
export { type Config, defineConfig, type StreamConfig } from './config/config.ts'
/** @public */
export { createThroughline, type ThroughlineOptions } from './serve/create-throughline.ts'
/** @public */
export { SettingError } from './settings/setting-error.ts'

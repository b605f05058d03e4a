import { type Channel, ChannelError } from '@throughline/channels/channel'
import type { DeliveryOptions } from '@throughline/channels/delivery'
import { isId, isOwnerId } from '@throughline/protocol/ids'
import type { InstalledChannel } from '@throughline/server/channels/installed-channel'
import type { Config } from './config.ts'
import { SettingError } from './settings.ts'

/** A channel in a `throughline.config.ts`. */
export interface ChannelConfig extends DeliveryOptions {
  /** Made with `telegramChannel`, `webhookChannel` or your own code. */
  readonly channel: Channel
  /** Whose chats its conversations are: a user of `THROUGHLINE_TOKENS`; `local` without tokens. */
  readonly owner?: string
  /** Who answers; by default the master. */
  readonly agent?: string
}

/** The channels of a configuration, by name. */
export function installedChannels({ channels = {} }: Config): ReadonlyMap<string, InstalledChannel> {
  return new Map(Object.entries(channels).map(([name, config]) => [name, installed(name, config)]))
}

function installed(name: string, { channel, owner = 'local', agent, ...delivery }: ChannelConfig) {
  // The name is part of chat ids, together with a colon and the platform's own id.
  if (!isId(name) || name.length > 32 || name.includes(':')) {
    throw new SettingError(
      'throughline.config.ts',
      `names a channel ${JSON.stringify(name)}. Use up to 32 letters, digits, "_", "." and "-".`,
    )
  }
  if (!isOwnerId(owner))
    throw new SettingError('throughline.config.ts', `channel ${name}: "${owner}" cannot be an owner.`)
  return { channel, ownerId: owner, agent, delivery }
}

/** What a configuration throws when a channel lacks something, such as its secret. */
export function isChannelProblem(error: unknown): error is Error {
  return error instanceof ChannelError
}

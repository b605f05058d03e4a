import type { Channel } from '@throughline/channels/channel'
import type { DeliveryOptions } from '@throughline/channels/delivery'
import { isId, isOwnerId } from '@throughline/protocol/ids'
import { didYouMean } from '@throughline/protocol/nearest-name'
import type { InstalledChannel } from '@throughline/server/channels/installed-channel'
import { refuse } from './config/checks.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

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
export function installedChannels(
  { channels = {} }: Config,
  { tokens }: Pick<Settings, 'tokens'>,
): ReadonlyMap<string, InstalledChannel> {
  const owners = tokens.size === 0 ? ['local'] : [...new Set(tokens.values())]
  return new Map(Object.entries(channels).map(([name, config]) => [name, installed(name, config, owners)]))
}

function installed(
  name: string,
  { channel, owner = 'local', agent, ...delivery }: ChannelConfig,
  owners: readonly string[],
): InstalledChannel {
  // The name is part of chat ids, together with a colon and the platform's own id.
  if (!isId(name) || name.length > 32 || name.includes(':'))
    refuse(`channels.${name}`, 'the name of a channel has up to 32 letters, digits, "_", "." and "-"')
  // Nobody else would ever see its chats.
  if (!isOwnerId(owner) || !owners.includes(owner))
    return refuse(
      `channels.${name}.owner`,
      `nobody is called ${JSON.stringify(owner)}. ${didYouMean(owner, owners)}`,
    )
  return { channel, ownerId: owner, agent, delivery }
}

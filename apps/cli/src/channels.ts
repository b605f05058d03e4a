import { isId, isOwnerId } from '@throughline/protocol/ids'
import { didYouMean } from '@throughline/protocol/nearest-name'
import type { InstalledChannel } from '@throughline/server/channels/installed-channel'
import type { ChannelConfig } from './config/channel-config.ts'
import { refuse } from './config/checks.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

/** Returns the channels of a configuration by name. Throws a SettingError for a wrong name or owner. */
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
  // A chat's id is the channel's name, a colon, and the platform's id of the conversation.
  if (!isId(name) || name.length > 32 || name.includes(':'))
    refuse(`channels.${name}`, 'the name of a channel has up to 32 letters, digits, "_", "." and "-"')
  // With an owner that is no user, nobody could ever see the chats.
  if (!isOwnerId(owner) || !owners.includes(owner))
    return refuse(
      `channels.${name}.owner`,
      `nobody is called ${JSON.stringify(owner)}. ${didYouMean(owner, owners)}`,
    )
  return { channel, ownerId: owner, agent, delivery }
}

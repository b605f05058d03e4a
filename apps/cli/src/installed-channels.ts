import { isId, isOwnerId, type OwnerId } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import type { InstalledChannel } from '@throughline/server'
import type { ChannelConfig } from './config/channel-config.ts'
import { refuse } from './config/checks.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

/** Returns the channels of a configuration by name. Throws a SettingError for a wrong name or owner. */
export function installedChannels(
  { channels = {}, authenticate }: Config,
  { tokens }: Pick<Settings, 'tokens'>,
): ReadonlyMap<string, InstalledChannel> {
  // With `authenticate`, only the application knows its users.
  if (authenticate !== undefined) return mapped(channels, ownedByName)
  const owners = tokens.size === 0 ? ['local'] : [...new Set(tokens.values())]
  return mapped(channels, (where, owner = 'local') => ownedByUser(where, owner, owners))
}

/** Returns the owner of a channel's chats. `where` is the path of the setting. */
type OwnerOf = (where: string, owner: string | undefined) => OwnerId

function mapped(
  channels: Readonly<Record<string, ChannelConfig>>,
  ownerOf: OwnerOf,
): ReadonlyMap<string, InstalledChannel> {
  return new Map(Object.entries(channels).map(([name, config]) => [name, installed(name, config, ownerOf)]))
}

function installed(
  name: string,
  { channel, owner, agent, workspaceId, pageId, ...delivery }: ChannelConfig,
  ownerOf: OwnerOf,
): InstalledChannel {
  // A chat's id is the channel's name, a colon, and the platform's id of the conversation.
  if (!isId(name) || name.length > 32 || name.includes(':'))
    refuse(`channels.${name}`, 'the name of a channel has up to 32 letters, digits, "_", "." and "-"')
  return { channel, ownerId: ownerOf(`channels.${name}.owner`, owner), agent, workspaceId, pageId, delivery }
}

// With an owner that is no user, nobody could ever see the chats.
function ownedByUser(where: string, owner: string, owners: readonly string[]): OwnerId {
  if (isOwnerId(owner) && owners.includes(owner)) return owner
  return refuse(where, `nobody is called ${JSON.stringify(owner)}. ${didYouMean(owner, owners)}`)
}

function ownedByName(where: string, owner: string | undefined): OwnerId {
  if (isOwnerId(owner)) return owner
  const problem = owner === undefined ? 'it is missing' : 'it is not allowed'
  return refuse(where, `${problem}. Name the ownerId, as authenticate returns it, whose chats these are.`)
}

import type { Agent } from '@throughline/agents/agent'
import { type Channel, ChannelError } from '@throughline/channels/channel'
import { blockLimits, type DeliveryOptions } from '@throughline/channels/delivery'
import type { OwnerId } from '@throughline/protocol/ids'
import { didYouMean } from '@throughline/protocol/nearest-name'

/** A channel of this installation. */
export interface InstalledChannel {
  readonly channel: Channel
  /** Whose chats its conversations are. */
  readonly ownerId: OwnerId
  /** Who answers; by default the first agent. */
  readonly agent?: string | undefined
  readonly delivery?: DeliveryOptions | undefined
}

/** Who answers in a channel. */
export function answeringAgent(
  agents: ReadonlyMap<string, Agent>,
  name: string,
  { agent }: InstalledChannel,
): Agent {
  const [first] = agents.values()
  const answering = agent === undefined ? first : agents.get(agent)
  if (answering !== undefined) return answering
  throw new ChannelError(
    'refused',
    `Channel ${name} names the agent ${JSON.stringify(agent)}, which does not exist. ${didYouMean(agent ?? '', agents.keys())}`,
  )
}

/** Throws when a channel could not work as it is configured: at the start, and not with its first message. */
export function assertUsable(
  agents: ReadonlyMap<string, Agent>,
  name: string,
  installed: InstalledChannel,
): void {
  answeringAgent(agents, name, installed)
  const { maxChars } = blockLimits(installed.channel, installed.delivery)
  if (maxChars >= 40) return
  throw new ChannelError(
    'refused',
    `Channel ${name} takes messages of ${maxChars} characters. maxChars has to be at least 40.`,
  )
}

import type { Agent } from '@throughline/agents'
import { noContext, type RequestContext } from '@throughline/agents/internal'
import { blockLimits, type Channel, ChannelError, type DeliveryOptions } from '@throughline/channels'
import type { OwnerId } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'

/** A channel that this server was started with. */
export interface InstalledChannel {
  readonly channel: Channel
  /** The owner of the chats that are made for its conversations. */
  readonly ownerId: OwnerId
  /** The agent that answers. By default the first agent. */
  readonly agent?: string | undefined
  /** The workspace in which the agents work. By default none. */
  readonly workspaceId?: string | undefined
  /** The page of the application that its people are on, for agents with `pageIds`. By default none. */
  readonly pageId?: string | undefined
  /** How answers are cut and sent. Default: the defaults of `DeliveryOptions`. */
  readonly delivery?: DeliveryOptions | undefined
}

/** Returns the context of the messages of a channel. */
export function contextIn({ workspaceId, pageId }: InstalledChannel): RequestContext {
  return { ...noContext, workspaceId, pageId }
}

/** Returns the agent that answers in a channel. Throws when there is no such agent. */
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

/**
 * Throws when a channel cannot work as it is configured. So the mistake is found at the start, and not with the first
 * message.
 */
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

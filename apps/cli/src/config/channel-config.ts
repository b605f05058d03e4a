import type { Channel, DeliveryOptions } from '@throughline/channels'

/** A channel in a `throughline.config.ts`. */
export interface ChannelConfig extends DeliveryOptions {
  /** Made with `telegramChannel`, `webhookChannel` or your own code. */
  readonly channel: Channel
  /**
   * The user whose chats its conversations are: one of `THROUGHLINE_TOKENS`, or an `ownerId` of `authenticate`. Default:
   * `local`; with `authenticate` there is no default.
   */
  readonly owner?: string
  /** The agent that writes the answers. Default: the master. */
  readonly agent?: string
  /** The workspace in which its agents work: they also have the agents of that workspace. Default: none. */
  readonly workspaceId?: string
  /** The page of your application that its people are on: agents with `pageIds` are there if it is one of them. Default: none. */
  readonly pageId?: string
}

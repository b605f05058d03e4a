/** A picture or another file that goes along with an answer. */
export interface Medium {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName: string
}

/** One message to a channel: a text in Markdown, or a medium with or without a caption. */
export interface Message {
  readonly text: string
  readonly medium?: Medium | undefined
  /** The `id` of the inbound message that this one answers. */
  readonly replyTo?: string | undefined
}

export interface SendRequest {
  /** Where to: what the channel itself has given as a message's `target`. */
  readonly target: string
  readonly message: Message
  /** The same for every attempt at the same message: a channel that can tell by it never shows one twice. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** A message that came in through a channel. */
export interface Inbound {
  /** The channel's own id of the message, unique in its conversation: by it a message that comes twice is known. */
  readonly id: string
  /** Names the conversation; of the characters that ids may have. A conversation is one chat. */
  readonly conversation: string
  /** How to reach the conversation: JSON or whatever the channel likes to find again in `SendRequest`. */
  readonly target: string
  /** The platform's unchangeable id of the sender. Names can be chosen freely, so they are for show only. */
  readonly senderId: string
  readonly senderName: string
  readonly text: string
}

/** Takes a message in. Resolves once it is durable: only then may the channel confirm it to the platform. */
export type Inbox = (inbound: Inbound) => Promise<void>

/** A request of the platform, as it came: a signature is about bytes. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export interface HookResponse {
  readonly status: number
  readonly body?: unknown
}

/** A way to talk with people elsewhere. */
export interface Channel {
  /** The name of its kind, for people: `telegram`, `webhook`. */
  readonly kind: string
  /** The most characters of one message. */
  readonly maxChars: number
  /** Sends one message; resolves with the channel's id for it once the channel has confirmed it. Throws `ChannelError`. */
  send(request: SendRequest): Promise<string>
  /** Replaces the text of a message that was sent. */
  edit?(request: Omit<SendRequest, 'idempotencyKey'> & { readonly receipt: string }): Promise<void>
  /** Shows that an answer is on its way. */
  typing?(target: string, signal: AbortSignal): Promise<void>
  /** Asks the platform for messages until the signal aborts. Throws when it cannot go on. */
  poll?(inbox: Inbox, signal: AbortSignal): Promise<void>
  /** Answers the platform's request. What is not signed as it should be is refused before it is read. */
  hook?(request: HookRequest, inbox: Inbox): Promise<HookResponse>
}

/** A channel did not take a message. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  /** `refused`: trying again will not help. `unavailable`: it may. */
  readonly code: 'refused' | 'unavailable'
  /** When the channel has said how long to wait. */
  readonly retryAfterMs: number | undefined

  constructor(code: ChannelError['code'], message: string, retryAfterMs?: number) {
    super(message)
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

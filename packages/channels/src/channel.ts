/** A picture or another file that goes along with an answer. */
export interface Medium {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName: string
}

/** One message to a channel: a text in Markdown, or a medium with or without a caption. */
export interface OutgoingMessage {
  readonly text: string
  readonly medium?: Medium | undefined
  /** The `id` of the inbound message that this one answers. */
  readonly replyTo?: string | undefined
}

export interface SendRequest {
  /** Where to: what the channel itself has given as a message's `target`. */
  readonly target: string
  readonly message: OutgoingMessage
  /** The same for every attempt at the same message: a channel that can tell by it never shows one twice. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** A tool call that waits for a person, or that has waited. */
export interface ToolApproval {
  readonly id: string
  readonly toolName: string
  /** The arguments of the call, as JSON; when `isInputCut`, only the beginning of that, or nested too deeply to parse. */
  readonly input: string
  readonly isInputCut: boolean
  /** The name of the sub-agent that makes the call; missing for the agent that answers in the channel. */
  readonly agent?: string | undefined
  /** Whether the answer is to a message from this channel. If it is not, nobody in the channel may decide. */
  readonly isAskedHere: boolean
  /** What has become of it; missing as long as it waits. */
  readonly outcome?: ApprovalOutcome | undefined
}

export interface ApprovalOutcome {
  readonly approved: boolean
  /** Why; also when nobody has decided in time, or the run was stopped. */
  readonly reason?: string | undefined
}

export interface ApprovalRequest extends Omit<SendRequest, 'message'> {
  readonly approval: ToolApproval
  readonly replyTo?: string | undefined
  /** With an outcome: what the channel has returned for the message that asked, if it took that. */
  readonly receipt?: string | undefined
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

/** What a person has decided about a tool call that waits. */
export interface InboundDecision {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string | undefined
  /** The conversation in which it was decided. Without it, any conversation of the channel may be meant. */
  readonly conversation?: string | undefined
  /** Who has decided. Without it, the channel vouches for it that the person may. */
  readonly senderId?: string | undefined
}

/** `not-allowed`: the call waits for somebody else. */
export type DecisionResult = 'decided' | 'not-waiting' | 'not-found' | 'not-allowed'

/** Takes a decision in. Resolves once it is durable; the same decision a second time is `not-waiting`. */
export type Decide = (decision: InboundDecision) => Promise<DecisionResult>

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
  /**
   * Shows that a tool call waits for a person, with a way to decide; later, with the outcome, what was decided. Returns
   * the channel's id for the message. A channel without this gets the same in words, with `send`.
   */
  showApproval?(request: ApprovalRequest): Promise<string>
  /** Shows that an answer is on its way. */
  typing?(target: string, signal: AbortSignal): Promise<void>
  /** Asks the platform for messages until the signal aborts. Throws when it cannot go on. */
  poll?(inbox: Inbox, signal: AbortSignal, decide: Decide): Promise<void>
  /** Answers the platform's request. What is not signed as it should be is refused before it is read. */
  hook?(request: HookRequest, inbox: Inbox, decide: Decide): Promise<HookResponse>
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

/** A picture or another file of an answer. */
export interface Medium {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly fileName: string
}

/** One message to a channel: a text in Markdown, or a file with or without a caption. */
export interface OutgoingMessage {
  readonly text: string
  readonly medium?: Medium | undefined
  /** The `id` of the inbound message that this one is a reply to. */
  readonly replyTo?: string | undefined
}

/** One message that a channel should send. */
export interface SendRequest {
  /** Where to send to: the `target` that the channel gave with an inbound message. */
  readonly target: string
  readonly message: OutgoingMessage
  /** The same for every attempt at one message. A channel that remembers it never shows a message twice. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

/** A tool call that waits for a person, or has waited. */
export interface ToolApproval {
  readonly id: string
  readonly toolName: string
  /** The arguments of the call, as JSON. With `isInputCut` it is only the beginning, or nested too deeply to parse. */
  readonly input: string
  readonly isInputCut: boolean
  /** The name of the sub-agent that makes the call. Missing for the agent that answers in the channel. */
  readonly agent?: string | undefined
  /** Whether the run answers a message from this channel. If not, nobody in the channel may decide, approvers included. */
  readonly isAskedHere: boolean
  /** Set when the call asks a question: what the person reads. Their next message is the answer. */
  readonly question?: string | undefined
  /** What became of the call. Missing as long as it waits. */
  readonly outcome?: ApprovalOutcome | undefined
}

/** What was decided about a tool call. */
export interface ApprovalOutcome {
  readonly approved: boolean
  /** Why it was decided so. Also set if nobody decided in time, or if the run was stopped. */
  readonly reason?: string | undefined
}

/** A tool call that a channel should show, with a way to approve or deny it; or its outcome. */
export interface ApprovalRequest extends Omit<SendRequest, 'message'> {
  readonly approval: ToolApproval
  readonly replyTo?: string | undefined
  /** With an outcome: what the channel returned for the message that asked, if it took that message. */
  readonly receipt?: string | undefined
}

/** A message that came in through a channel. */
export interface Inbound {
  /**
   * The channel's own id of the message, unique in its conversation. A message with the same id is the same message.
   */
  readonly id: string
  /** The id of the conversation, which is one chat. Letters, digits, `_`, `.`, `:` and `-`. */
  readonly conversation: string
  /** How to reach the conversation. The channel gets it back in `SendRequest`; it can be JSON or any other text. */
  readonly target: string
  /** The platform's id of the sender, which the sender cannot change. Names can be chosen freely and decide nothing. */
  readonly senderId: string
  readonly senderName: string
  readonly text: string
}

/** Takes a message in. Resolves when it is durable. Only then may the channel confirm it to the platform. */
export type Inbox = (inbound: Inbound) => Promise<void>

/** The decision of a person about a tool call that waits. */
export interface InboundDecision {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string | undefined
  /** The conversation in which it was decided. Without it, the call may be in any conversation of the channel. */
  readonly conversation?: string | undefined
  /** The platform's id of the person who has decided. It counts only if it is one of the channel's `approvers`. */
  readonly senderId: string
}

/** `not-allowed`: this person is none of the channel's `approvers`. */
export type DecisionResult = 'decided' | 'not-waiting' | 'not-found' | 'not-allowed'

/** Takes a decision in. Resolves when it is durable. The same decision a second time is `not-waiting`. */
export type Decide = (decision: InboundDecision) => Promise<DecisionResult>

/** A request of the platform. The body is raw, because signatures are checked over bytes. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** What the platform gets back. A body is sent as JSON. */
export interface HookResponse {
  readonly status: number
  readonly body?: unknown
}

/** A way to talk with people on another platform. */
export interface Channel {
  /** What kind of channel it is, for people: `telegram`, `webhook`. */
  readonly kind: string
  /**
   * The platform's ids of the people who may approve or deny tool calls here. Without it nobody in the channel may, also not
   * the person who asked: it is done on the page of the chat.
   */
  readonly approvers?: ReadonlySet<string>
  /** The most characters of one message, in UTF-16 units. */
  readonly maxChars: number
  /**
   * Gives the channel the clock that all nodes share. Called once, before everything else. For channels that sign the time
   * or compare it: the clocks of machines differ.
   */
  setClock?(now: () => Date): void
  /** Sends one message. Returns the channel's id for it when the channel has confirmed it. Throws `ChannelError`. */
  send(request: SendRequest): Promise<string>
  /** Replaces the text of a message that was sent. Without this, the channel has no messages that grow. */
  edit?(request: Omit<SendRequest, 'idempotencyKey'> & { readonly receipt: string }): Promise<void>
  /**
   * Shows that a tool call waits for a person, with a way to decide. Later, with the outcome, shows what was decided.
   * Returns the channel's id for the message. A channel without this gets a text with `send` instead.
   */
  showApproval?(request: ApprovalRequest): Promise<string>
  /** Shows that an answer is on its way (the typing indicator). */
  typing?(target: string, signal: AbortSignal): Promise<void>
  /** Asks the platform for messages until the signal aborts. Throws when it cannot go on. */
  poll?(inbox: Inbox, signal: AbortSignal, decide: Decide): Promise<void>
  /**
   * Looks at the headers of a platform's request, before its body is read. Returns the response to a request that they
   * show to be of somebody else. So strangers cannot fill the memory of the server with bodies.
   */
  refuseHook?(headers: HookRequest['headers']): HookResponse | undefined
  /** Handles a request of the platform. A request with a wrong signature is refused before it is read. */
  hook?(request: HookRequest, inbox: Inbox, decide: Decide): Promise<HookResponse>
}

/** A channel did not take a message. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  /** `refused`: trying again will not help. `unavailable`: it may. */
  readonly code: 'refused' | 'unavailable'
  /** How long the channel asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(code: ChannelError['code'], message: string, retryAfterMs?: number) {
    super(message)
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

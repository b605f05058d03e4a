import { type KeysOf, unknownKey } from '@throughline/protocol/internal'
import {
  type ApprovalRequest,
  type Channel,
  ChannelError,
  type SendRequest,
  type ToolApproval,
} from '../channel.ts'
import { approvalText } from '../sending/approval-text.ts'
import { type PostOptions, postSigned } from './post-signed.ts'
import { refuseUnsigned, takeIn } from './take-in.ts'

/** Where a webhook channel sends to, and how it is signed. */
export interface WebhookOptions extends PostOptions {
  /** The ids of the senders who may start a run. Without it, everybody who has the secret may. */
  readonly allowSenders?: readonly string[]
  /** The most characters of one message: 4,000. */
  readonly maxChars?: number
}

/**
 * Talks with any program over HTTP: signed POST requests in both directions. Outgoing requests have an `idempotency-key`. A
 * receiver that remembers the keys shows nothing twice, whatever is retried or crashes. Throws a `ChannelError` if an
 * option is wrong.
 *
 * @public
 */
export function webhookChannel(options: WebhookOptions): Channel {
  const problem = unknownKey(options, knownOptions)
  if (problem !== undefined) throw new ChannelError('refused', `webhookChannel: ${problem}`)
  const { secret, maxChars = 4_000 } = options
  if (typeof secret !== 'string' || secret.length < 16) {
    throw new ChannelError('refused', 'A webhook needs a secret of at least 16 characters.')
  }
  return {
    kind: 'webhook',
    maxChars,
    send: request => postSigned(options, request, messageFields(request)),
    showApproval: request => postSigned(options, request, approvalFields(request, maxChars)),
    refuseHook: headers => refuseUnsigned(headers, options),
    hook: (request, inbox, decide) => takeIn(request, { ...options, inbox, decide }),
  }
}

// A misspelled `allowSenders` would let everybody in who has the secret.
const knownOptions: KeysOf<WebhookOptions> = {
  url: true,
  secret: true,
  allowSenders: true,
  maxChars: true,
  fetch: true,
  now: true,
}

function messageFields({ message: { text, medium, replyTo } }: SendRequest) {
  return {
    text,
    replyTo,
    media: medium && {
      mediaType: medium.mediaType,
      fileName: medium.fileName,
      base64: Buffer.from(medium.bytes).toString('base64'),
    },
  }
}

/** The text is for receivers that do not know about approvals: they can show it like any other. */
function approvalFields({ approval, replyTo }: ApprovalRequest, maxChars: number) {
  const { id: approvalId, toolName: tool, agent, outcome } = approval
  const common = { approvalId, tool, agent, text: approvalText(approval, maxChars), replyTo }
  return outcome === undefined
    ? { type: 'approval_request', ...common, arguments: argumentsOf(approval) }
    : { type: 'approval_settled', ...common, ...outcome }
}

/** Returns the arguments as a value, or the beginning of their JSON if only that was kept. */
function argumentsOf({ input, isInputCut }: ToolApproval): unknown {
  return isInputCut ? `${input}…` : JSON.parse(input)
}

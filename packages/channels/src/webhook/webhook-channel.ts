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
  /**
   * The ids of the senders who may approve tool calls with a signed request. Default: nobody, and calls are approved on the
   * page. If there are `allowSenders`, they must be among them.
   */
  readonly approvers?: readonly string[]
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
  const approvers = new Set(options.approvers)
  const outsider = options.approvers?.find(id => options.allowSenders?.includes(id) === false)
  if (outsider !== undefined) {
    throw new ChannelError(
      'refused',
      `webhookChannel: approvers has ${JSON.stringify(outsider)}, who may not talk to the agent. Add it to allowSenders, too.`,
    )
  }
  return {
    kind: 'webhook',
    approvers,
    maxChars,
    send: request => postSigned(options, request, messageFields(request)),
    refuseHook: headers => refuseUnsigned(headers, options),
    showApproval: request => postSigned(options, request, approvalFields(request, { approvers, maxChars })),
    hook: (request, inbox, decide) => takeIn(request, { ...options, inbox, decide }),
  }
}

// A misspelled `allowSenders` would let everybody in whom the program lets in.
const knownOptions: KeysOf<WebhookOptions> = {
  url: true,
  secret: true,
  allowSenders: true,
  approvers: true,
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

interface FieldOptions {
  readonly approvers: ReadonlySet<string>
  readonly maxChars: number
}

/** The text is for receivers that do not know about approvals: they can show it like any other. */
function approvalFields({ approval, replyTo }: ApprovalRequest, { approvers, maxChars }: FieldOptions) {
  const { id: approvalId, toolName: tool, agent, outcome } = approval
  const mayDecide = approval.isAskedHere ? [...approvers] : []
  const text = approvalText(approval, { maxChars, canDecide: mayDecide.length > 0 })
  const common = { approvalId, tool, agent, text, replyTo }
  return outcome === undefined
    ? { type: 'approval_request', ...common, approvers: mayDecide, arguments: argumentsOf(approval) }
    : { type: 'approval_settled', ...common, ...outcome }
}

/** Returns the arguments as a value, or the beginning of their JSON if only that was kept. */
function argumentsOf({ input, isInputCut }: ToolApproval): unknown {
  return isInputCut ? `${input}…` : JSON.parse(input)
}

import { type KeysOf, unknownKey } from '@throughline/protocol/internal'
import { approvalText } from '../ports/approval-text.ts'
import {
  type ApprovalRequest,
  type Channel,
  ChannelError,
  type SendRequest,
  type ToolApproval,
} from '../ports/channel.ts'
import { sign } from './signature.ts'
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
  let clock = () => new Date()
  const timed = { ...options, now: options.now ?? (() => clock()) }
  return {
    kind: 'webhook',
    approvers,
    maxChars,
    setClock(now) {
      clock = now
    },
    send: request => postSigned(timed, request, messageFields(request)),
    refuseHook: headers => refuseUnsigned(headers, timed),
    showApproval: request => postSigned(timed, request, approvalFields(request, { approvers, maxChars })),
    hook: (request, inbox, decide) => takeIn(request, { ...timed, inbox, decide }),
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

interface PostOptions {
  /** The URL to which messages are posted. */
  readonly url: string
  /** Signs outgoing requests. Inbound requests must be signed with it, too. 16 characters or more. */
  readonly secret: string
  readonly fetch?: typeof globalThis.fetch
  /** The time that is signed. Default: the clock that all nodes share. */
  readonly now?: () => Date
}

type PostRequest = Pick<SendRequest, 'target' | 'idempotencyKey' | 'signal'>

/** Posts one signed event with its idempotency key. Returns the key when the receiver has confirmed the event. */
async function postSigned(
  { url, secret, fetch = globalThis.fetch, now }: PostOptions & Required<Pick<PostOptions, 'now'>>,
  { target, idempotencyKey, signal }: PostRequest,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = Buffer.from(JSON.stringify({ id: idempotencyKey, conversation: target, ...fields }))
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-throughline-signature': sign(body, { secret, now: now() }),
    },
    body,
    signal,
    // Redirects are not followed: the operator has named this address and no other.
    redirect: 'manual',
  }).catch(error => {
    throw new ChannelError('unavailable', `The webhook cannot be reached: ${reasonOf(error)}.`)
  })
  // Only the status counts. A body that breaks off changes nothing.
  await response.body?.cancel().catch(() => undefined)
  if (response.ok) return idempotencyKey
  throw new ChannelError(
    isTemporary(response.status) ? 'unavailable' : 'refused',
    `The webhook responded with ${response.status}.`,
    retryAfterMs(response),
  )
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

// The code of the cause tells more than "fetch failed".
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.name : 'unknown'
}

import { isId, isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { Decide, HookRequest, HookResponse, Inbox } from '../ports/channel.ts'
import { isRecent, isSigned } from './signature.ts'

export interface TakeInOptions {
  readonly secret: string
  /** The ids of the senders who may start a run. Without it, everybody who has the secret may. */
  readonly allowSenders?: readonly string[]
  readonly now: () => Date
  readonly inbox: Inbox
  readonly decide: Decide
}

// Both become part of longer ids.
const shortId = z.string().max(80).refine(isId, 'an id of up to 80 letters, digits, "_", ".", ":" and "-"')
const sender = z.object({ id: z.string().min(1).max(200), name: z.string().max(200).default('') })

const messageBody = z.object({
  id: shortId,
  conversation: shortId,
  sender,
  text: z.string().max(100_000),
})

const approvalBody = z.object({
  approvalId: z.string().min(1).max(128),
  approved: z.boolean(),
  reason: z.string().max(1_000).optional(),
  conversation: shortId.optional(),
  sender,
})

/**
 * Returns the response to a request whose signature is missing, too old, or no signature. Whether it fits the body is
 * known when that is read.
 */
export function refuseUnsigned(
  headers: HookRequest['headers'],
  { now }: Pick<TakeInOptions, 'now'>,
): HookResponse | undefined {
  return isRecent(headers['x-throughline-signature'] ?? '', now()) ? undefined : badSignature()
}

/** Takes a signed request in: a message, or a decision about a tool call that waits. */
export async function takeIn({ headers, body }: HookRequest, options: TakeInOptions): Promise<HookResponse> {
  const { secret, now } = options
  if (!isSigned(body, headers['x-throughline-signature'] ?? '', { secret, now: now() })) {
    return badSignature()
  }
  const value = parseJson(new TextDecoder().decode(body))
  const isApproval = isRecord(value) && value['type'] === 'approval'
  return isApproval ? takeDecision(value, options) : takeMessage(value, options)
}

async function takeMessage(value: unknown, options: TakeInOptions): Promise<HookResponse> {
  const parsed = messageBody.safeParse(value)
  if (!parsed.success) return invalidBody(parsed.error)
  const { id, conversation, sender, text } = parsed.data
  if (!isAllowed(options, sender.id)) return notAllowed()
  if (text.trim() === '') return problem(400, 'empty-message', 'The message has no text.')
  await options.inbox({
    id,
    conversation,
    target: conversation,
    senderId: sender.id,
    senderName: sender.name || sender.id,
    text,
  })
  return { status: 202, body: { accepted: id } }
}

async function takeDecision(value: unknown, options: TakeInOptions): Promise<HookResponse> {
  const parsed = approvalBody.safeParse(value)
  if (!parsed.success) return invalidBody(parsed.error)
  const { sender, ...decision } = parsed.data
  const result = await options.decide({ ...decision, senderId: sender.id })
  switch (result) {
    case 'decided':
      return { status: 200, body: { decided: decision.approvalId } }
    case 'not-waiting':
      return problem(
        409,
        'approval-not-waiting',
        'This was decided already, or nobody waits for it any more.',
      )
    case 'not-allowed':
      return problem(
        403,
        'approver-not-allowed',
        'This sender may not decide. Those who may are in the `approvers` of the channel, and only about calls that were asked for here.',
      )
    case 'not-found':
      return problem(
        404,
        'approval-not-found',
        'No call in a conversation of this channel waits under this id.',
      )
    default:
      return result satisfies never
  }
}

function isAllowed({ allowSenders }: TakeInOptions, senderId: string): boolean {
  return allowSenders === undefined || allowSenders.includes(senderId)
}

function notAllowed(): HookResponse {
  return problem(403, 'sender-not-allowed', 'This sender may not talk to the agent.')
}

function invalidBody({ issues: [issue] }: z.ZodError): HookResponse {
  const detail = `The field "${issue?.path.join('.')}" is not as expected: ${issue?.message}.`
  return problem(400, 'invalid-body', detail)
}

function badSignature(): HookResponse {
  return problem(401, 'bad-signature', 'Sign the body with the shared secret: see docs/guides/channels.md.')
}

function problem(status: number, code: string, detail: string): HookResponse {
  return { status, body: { type: 'about:blank', status, code, detail } }
}

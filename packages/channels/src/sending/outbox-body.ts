import { z } from 'zod'
import type { ReplyPayload } from './payloads.ts'

const approvalForm = z.object({
  id: z.string(),
  toolName: z.string(),
  input: z.string(),
  isInputCut: z.boolean(),
  agent: z.string().optional(),
  isAskedHere: z.boolean(),
  outcome: z.object({ approved: z.boolean(), reason: z.string().optional() }).optional(),
})

const payloadForm = z.object({
  text: z.string().optional(),
  before: z.string().optional(),
  reopening: z.string().optional(),
  closing: z.string().optional(),
  media: z.array(z.string()).optional(),
  replyTo: z.string().optional(),
  isStatus: z.boolean().optional(),
  messageIndex: z.number().optional(),
  approval: approvalForm.optional(),
})

/** A payload as the outbox keeps it. */
export function bodyOf(payload: ReplyPayload): string {
  return JSON.stringify(payloadForm.parse(payload))
}

export function payloadFrom(body: string): ReplyPayload {
  const value = parseJson(body)
  if (isPayload(value)) return value
  throw new TypeError('An item of the outbox is damaged. Restore the database from a backup.')
}

function isPayload(value: unknown): value is ReplyPayload {
  return payloadForm.safeParse(value).success
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // What is no JSON is no payload either.
    return undefined
  }
}

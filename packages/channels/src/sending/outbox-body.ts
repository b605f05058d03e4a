import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { Post } from './post.ts'

const approvalForm = z.object({
  id: z.string(),
  toolName: z.string(),
  input: z.string(),
  isInputCut: z.boolean(),
  agent: z.string().optional(),
  isAskedHere: z.boolean(),
  outcome: z.object({ approved: z.boolean(), reason: z.string().optional() }).optional(),
})

const postForm = z.object({
  text: z.string().optional(),
  before: z.string().optional(),
  reopening: z.string().optional(),
  closing: z.string().optional(),
  media: z.array(z.string()).optional(),
  replyTo: z.string().optional(),
  isStatus: z.boolean().optional(),
  approval: approvalForm.optional(),
})

/** Returns a post as JSON, for the outbox. */
export function bodyOf(post: Post): string {
  return JSON.stringify(postForm.parse(post))
}

/** Reads a post from the outbox. Throws a `TypeError` when the body is damaged. */
export function postFrom(body: string): Post {
  const { data } = postForm.safeParse(parseJson(body))
  if (data !== undefined) return data
  throw new TypeError('An item of the outbox is damaged. Restore the database from a backup.')
}

import { isRunId, type OwnerId, type ProblemError, textOf } from '@throughline/protocol'
import type { Services } from '../context.ts'
import type { SentMessage } from './conversation.ts'
import { unsupported } from './open-ai-problem.ts'

/**
 * Replaces references to items of earlier responses by the answers that the items are parts of. Some clients send
 * references instead of what was said. Several references to one answer become one message. Throws a 400 problem when
 * the owner has no such answer.
 */
export async function withoutReferences(
  services: Services,
  ownerId: OwnerId,
  { input, closed }: { readonly input: readonly SentMessage[]; readonly closed: AbortSignal },
): Promise<SentMessage[]> {
  const seen = new Set<string>()
  const messages: SentMessage[] = []
  for (const item of input) {
    const id = referenceIn(item)
    closed.throwIfAborted()
    if (seen.size > maxReferences) throw tooManyReferences()
    if (id === undefined) messages.push(item)
    else if (!seen.has(runIn(id))) messages.push(await answerWith(services, ownerId, id))
    if (id !== undefined) seen.add(runIn(id))
  }
  return messages
}

/** How many earlier answers one request may name. Each is read from the store. */
const maxReferences = 1_000

function tooManyReferences(): ProblemError {
  return unsupported(
    `The request names more than ${maxReferences} earlier answers. Send "previous_response_id" in place of them.`,
  )
}

function referenceIn({ type, id }: SentMessage): string | undefined {
  return type === 'item_reference' ? String(id) : undefined
}

/** Returns the run in the id of an item, which begins with it: see `ResponseProjection`. */
function runIn(itemId: string): string {
  return itemId.slice(0, Math.max(0, itemId.indexOf(':')))
}

async function answerWith({ store }: Services, ownerId: OwnerId, itemId: string): Promise<SentMessage> {
  const runId = runIn(itemId)
  const run = isRunId(runId) ? await store.runs.get(ownerId, runId) : undefined
  const answer = run && (await store.messages.find(run, run.answerId))
  if (answer !== undefined) return { role: 'assistant', content: textOf(answer) }
  throw unsupported(
    `There is no finished answer with the item ${JSON.stringify(itemId.slice(0, 128))}. Send the message itself, not a reference to it.`,
  )
}

import { type ChatKey, isMessageId } from '@throughline/protocol/ids'
import { z } from 'zod'
import { findWait } from '../../stream/waits/find-wait.ts'
import type { Services } from '../context.ts'
import type { PlaceInRun } from '../place-in-run.ts'
import { messageNotFound } from '../problems.ts'

/** An answer with tool calls, as a stock client sends it back. */
const answerSchema = z.object({
  id: z.string(),
  role: z.literal('assistant'),
  parts: z.array(z.unknown()),
})

const callSchema = z.object({ toolCallId: z.string(), state: z.string() })

const askedCallSchema = z.object({
  toolCallId: z.string(),
  state: z.enum(['approval-requested', 'approval-responded']),
  approval: z.object({
    id: z.string(),
    approved: z.boolean().optional(),
    reason: z.string().optional(),
  }),
})

interface Asked extends ChatKey {
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined
  readonly messages: readonly unknown[]
  readonly messageId?: string | undefined
}

const maxReasonLength = 1_000

/**
 * A stock client answers approvals by sending the waiting answer back, with decisions in it. Carries them out, and returns
 * where that answer goes on. Only a decision counts, and only on a call that this run has asked for: whatever else the
 * client says about the answer is not used. Returns `undefined` for any other request.
 */
export async function placeAfterApprovals(
  { store, approvals }: Services,
  asked: Asked,
): Promise<PlaceInRun | undefined> {
  const answer = answerIn(asked)
  const calls = (answer?.parts ?? []).flatMap(part => askedCallSchema.safeParse(part).data ?? [])
  if (answer === undefined || calls.length === 0) return undefined
  const { ownerId, chatId } = asked
  const run = isMessageId(answer.id) ? await store.runs.ofAnswer(asked, answer.id) : undefined
  // Anything else would be a new run, and this client asks for none.
  if (run === undefined) throw messageNotFound(chatId, answer.id)
  const found = await findWait(store.log, run, {
    open: new Set(calls.map(({ approval }) => approval.id)),
    hasEnd: toolCallId => endedCalls(answer.parts).has(toolCallId),
  })
  if (found === undefined) return undefined
  for (const { toolCallId, state, approval } of calls) {
    const { id, approved, reason } = approval
    if (state !== 'approval-responded' || approved === undefined) continue
    if (found.calls.get(id) !== toolCallId) continue
    // What was decided elsewhere, or is over, stays so: the stream shows what became of it.
    await approvals.decide(ownerId, id, { approved, reason: reason?.slice(0, maxReasonLength), chatId })
  }
  return { run, after: found.after, continues: true }
}

/** The answer that the client continues: the one that it names, or the last message. */
function answerIn({ messages, messageId, trigger }: Asked): z.infer<typeof answerSchema> | undefined {
  if (trigger === 'regenerate-message') return undefined
  if (messageId === undefined) return answerSchema.safeParse(messages.at(-1)).data
  return messages
    .map(message => answerSchema.safeParse(message).data)
    .findLast(each => each?.id === messageId)
}

function endedCalls(parts: readonly unknown[]): ReadonlySet<string> {
  const calls = parts.flatMap(part => callSchema.safeParse(part).data ?? [])
  const ended = calls.filter(({ state }) => state.startsWith('output-'))
  return new Set(ended.map(({ toolCallId }) => toolCallId))
}

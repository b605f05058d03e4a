import { type ChatKey, isMessageId } from '@throughline/protocol'
import { z } from 'zod'
import { findWait } from '../../stream/waits/find-wait.ts'
import type { Services } from '../context.ts'
import { messageNotFound } from '../problems.ts'
import type { PositionInRun } from './position-in-run.ts'

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
 * Carries out the decisions in a request, and returns the position at which the answer goes on. A stock client decides on
 * approvals by sending the waiting answer back, with the decisions in it.
 *
 * Only decisions are used, and only on calls of this run that wait for one. Everything else in the client's answer is
 * ignored. Returns `undefined` for a request without such calls.
 */
export async function positionAfterDecisions(
  { store, approvals }: Services,
  asked: Asked,
): Promise<PositionInRun | undefined> {
  const answer = answerIn(asked)
  const calls = (answer?.parts ?? []).flatMap(part => askedCallSchema.safeParse(part).data ?? [])
  if (answer === undefined || calls.length === 0) return undefined
  const { ownerId, chatId } = asked
  const run = isMessageId(answer.id) ? await store.runs.ofAnswer(asked, answer.id) : undefined
  // Without an error the request would begin a new run, which the client does not want.
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
    // This changes nothing if somebody else has decided, or if the call has ended. The stream shows what happened.
    await approvals.decide(ownerId, id, { approved, reason: reason?.slice(0, maxReasonLength), chatId })
  }
  return { run, after: found.after, continues: true }
}

/** Returns the answer that the client continues: the one that it names, or else the last message. */
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

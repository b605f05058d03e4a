import type { GivenOutput } from '@throughline/agents/internal'
import { type ChatKey, isMessageId, isRecord } from '@throughline/protocol'
import { z } from 'zod'
import { findWait } from '../../stream/find-wait.ts'
import type { Services } from '../request/context.ts'
import { messageNotFound, outputTooLarge } from '../request/problems.ts'
import type { PositionInRun } from './position-in-run.ts'

/** An answer with tool calls, as a stock client sends it back. */
const answerSchema = z.object({
  id: z.string(),
  role: z.literal('assistant'),
  parts: z.array(z.unknown()),
})

const callSchema = z.object({ toolCallId: z.string(), state: z.string() })

const endedCallSchema = z.object({
  toolCallId: z.string(),
  state: z.enum(['output-available', 'output-error', 'output-denied']),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  preliminary: z.boolean().optional(),
})

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
 * Carries out the decisions in a request, gives calls their outputs, and returns the position at which the answer goes on.
 * A stock client does both by sending the waiting answer back, with the decisions and outputs in it.
 *
 * Only decisions and outputs are used, and only for calls of this run that wait for one. Everything else in the client's answer is
 * ignored. Returns `undefined` for a request without such calls.
 */
export async function positionAfterDecisions(
  services: Services,
  asked: Asked,
): Promise<PositionInRun | undefined> {
  const { store, approvals, outputs } = services
  const answer = answerIn(asked)
  const parts = answer?.parts ?? []
  const calls = parts.flatMap(part => askedCallSchema.safeParse(part).data ?? [])
  const ended = new Map(parts.flatMap(part => endedCallSchema.safeParse(part).data ?? []).map(keyed))
  if (answer === undefined || calls.length + ended.size === 0) return undefined
  const { ownerId, chatId } = asked
  const run = isMessageId(answer.id) ? await store.runs.ofAnswer(asked, answer.id) : undefined
  if (run === undefined) {
    if (calls.length === 0) return undefined
    // Without an error the request would begin a new run, which the client does not want.
    throw messageNotFound(chatId, answer.id)
  }
  const hasOutputs = ended.size > 0 && (await store.approvals.outputsOfRun(ownerId, run.id)).length > 0
  if (calls.length === 0 && !hasOutputs) return undefined
  const shown = new Set(parts.flatMap(part => callSchema.safeParse(part).data?.toolCallId ?? []))
  const found = await findWait(store.log, run, {
    open: new Set(calls.map(({ approval }) => approval.id)),
    hasCall: (_, toolCallId) => shown.has(toolCallId),
    hasEnd: toolCallId => ended.has(toolCallId),
  })
  if (found === undefined) return undefined
  for (const [toolCallId, id] of found.outputs) {
    const call = ended.get(toolCallId)
    // The same holds for outputs. But without an error, a person would wait for a call whose output was refused.
    const given = call && givenIn(call)
    if (given !== undefined && (await outputs.give({ ownerId, id, chatId }, given)) === 'too-large')
      throw outputTooLarge(services)
  }
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
  const named = messages.findLast(message => isRecord(message) && message['id'] === messageId)
  return answerSchema.safeParse(named).data
}

type EndedCall = z.infer<typeof endedCallSchema>

function keyed(call: EndedCall) {
  return [call.toolCallId, call] as const
}

/** Returns what the client says that a call returned. A client never says anything true about a denial. */
function givenIn(call: EndedCall): GivenOutput | undefined {
  switch (call.state) {
    case 'output-available':
      return call.preliminary === true ? undefined : { type: 'output', output: call.output }
    case 'output-error':
      return { type: 'error', errorText: call.errorText ?? 'The tool failed.' }
    case 'output-denied':
      return undefined
  }
}

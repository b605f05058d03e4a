import type { GivenOutput } from '@throughline/agents/internal'
import { type ChatKey, isMessageId, isRecord, outputFromText, ProblemError } from '@throughline/protocol'
import type { FoundApproval, Run } from '@throughline/store'
import { z } from 'zod'
import { agUiCallId } from '../../stream/ag-ui/ag-ui-calls.ts'
import type { AgUiMessage } from '../../stream/ag-ui/ag-ui-event.ts'
import { findWait } from '../../stream/find-wait.ts'
import type { Decision } from '../../waits/approval-waits.ts'
import { answerText } from '../../waits/output-waits.ts'
import type { Services } from '../request/context.ts'
import { outputTooLarge } from '../request/problems.ts'
import type { AgUiResumeEntry } from './ag-ui-body.ts'

/** A run that waited for decisions and outputs, with those. */
export interface ResumedRun {
  readonly run: Run
  /** The client has everything up to this entry. */
  readonly resumesAfter: number
  /** The person's decisions on calls of this run, by the ids of the approvals. */
  readonly decisions: ReadonlyMap<string, Decision>
  /** The outputs of calls of this run, by the ids of the requests. */
  readonly outputs: ReadonlyMap<string, GivenOutput>
  /** The calls whose results the client has made itself. */
  readonly answered: ReadonlySet<string>
}

interface Asked extends ChatKey {
  readonly messages: readonly AgUiMessage[]
  readonly resume: readonly AgUiResumeEntry[]
}

/**
 * Finds the run that waits for these decisions and outputs. Returns `undefined` when nothing in the request is for a run of
 * this chat.
 */
export async function findResumed(services: Services, asked: Asked): Promise<ResumedRun | undefined> {
  const { messages, resume } = asked
  const { store } = services
  const ids = resume.map(({ interruptId }) => interruptId)
  const records = ids.length === 0 ? [] : await store.approvals.findAll(asked.ownerId, ids)
  const recordOf = new Map(records.map(record => [record.id, record]))
  const asks = resume.map(entry => {
    const found = recordOf.get(entry.interruptId)
    // What is no output must be a clear decision, also when nobody waits for it.
    return { found, entry, decision: isOutput(found) ? undefined : decisionIn(entry) }
  })
  const interrupted = asks.find(({ found }) => found?.chatId === asked.chatId)?.found
  const run = await runOf(services, asked, interrupted)
  if (run === undefined) return undefined
  const results = resultsIn(messages, run, await store.approvals.outputsOfRun(run.ownerId, run.id))
  if (resume.length + results.size === 0) return undefined
  const shown = shownCalls(messages)
  const wait = await findWait(store.log, run, {
    open: new Set(ids),
    hasCall: (messageId, toolCallId) => namesOf(run, { messageId, toolCallId }).some(id => shown.all.has(id)),
    hasEnd: toolCallId => shown.ended.has(agUiCallId(run.answerId, toolCallId)),
  })
  if (wait === undefined) return undefined
  const requests = new Set(wait.outputs.values())
  const answers = asks.flatMap(({ entry, decision }) =>
    decision === undefined && requests.has(entry.interruptId)
      ? [[entry.interruptId, answerIn(entry)] as const]
      : [],
  )
  const decisions = asks.flatMap(({ entry, decision }) =>
    decision !== undefined && wait.calls.has(entry.interruptId)
      ? [[entry.interruptId, decision] as const]
      : [],
  )
  return {
    run,
    resumesAfter: wait.after.seq,
    decisions: new Map(decisions),
    outputs: new Map([...[...results.values()].map(({ id, given }) => [id, given] as const), ...answers]),
    answered: new Set(results.keys()),
  }
}

/**
 * Carries out the decisions, and gives the calls their outputs. What comes too late changes nothing. The stream shows what
 * happened to the call.
 */
export async function carryOut(services: Services, resumed: ResumedRun): Promise<void> {
  const { run, decisions, outputs } = resumed
  const { ownerId, chatId } = run
  for (const [id, decision] of decisions)
    await services.approvals.decide(ownerId, id, { ...decision, chatId })
  for (const [id, given] of outputs) {
    if ((await services.outputs.give({ ownerId, id, chatId }, given)) === 'too-large')
      throw outputTooLarge(services)
  }
}

/**
 * Returns the run that one of the interrupts belongs to, or else the run that answers the last message of the user. In a
 * chat at most one run waits.
 */
async function runOf(
  { store }: Services,
  { ownerId, chatId, messages }: Asked,
  interrupted: FoundApproval | undefined,
): Promise<Run | undefined> {
  if (interrupted !== undefined) return store.runs.get(ownerId, interrupted.runId)
  if (messages.at(-1)?.role !== 'tool') return undefined
  const question = messages.findLast(({ role }) => role === 'user')?.id ?? ''
  return isMessageId(question) ? store.runs.lastOfUserMessage({ ownerId, chatId }, question) : undefined
}

/** Returns what the client says that calls of the run have returned, by the ids of the calls as the client knows them. */
function resultsIn(messages: readonly AgUiMessage[], run: Run, records: readonly FoundApproval[]) {
  const sent = new Map(messages.flatMap(message => toolMessage.safeParse(message).data ?? []).map(keyed))
  const results = new Map<string, { readonly id: string; readonly given: GivenOutput }>()
  for (const record of records) {
    for (const name of namesOf(run, record)) {
      const message = sent.get(name)
      if (message === undefined) continue
      const given = givenIn(message)
      // Somebody else has given another output: then the client is shown that one.
      const isOther = record.status !== 'pending' && record.answer !== answerText(given)
      if (!isOther) results.set(name, { id: record.id, given })
    }
  }
  return results
}

const toolMessage = z.object({
  role: z.literal('tool'),
  toolCallId: z.string(),
  content: z.string(),
  error: z.string().nullish(),
})

function keyed(message: z.infer<typeof toolMessage>) {
  return [message.toolCallId, message] as const
}

/** AG-UI knows only texts. */
function givenIn({ content, error }: z.infer<typeof toolMessage>): GivenOutput {
  if (error) return { type: 'error', errorText: error }
  return { type: 'output', output: outputFromText(content) }
}

/** The ids under which clients may know a call: sub-agents are shown by themselves, or as a part of the answer. */
function namesOf(
  { answerId }: Run,
  { messageId, toolCallId }: Pick<FoundApproval, 'messageId' | 'toolCallId'>,
): readonly string[] {
  const own = agUiCallId(messageId, toolCallId)
  return messageId === answerId ? [own] : [own, `${answerId}:${own}`]
}

function isOutput(found: FoundApproval | undefined): boolean {
  return found !== undefined && found.kind !== 'approval'
}

function answerIn(entry: AgUiResumeEntry): GivenOutput {
  if (entry.status === 'cancelled') return { type: 'error', errorText: 'The user did not want to answer.' }
  return { type: 'output', output: entry.payload }
}

/** A person's decision on a call that waits. Anything unclear is refused. */
const decisionPayload = z.union([
  z.boolean().transform(approved => ({ approved })),
  z.object({ approved: z.boolean(), reason: z.string().optional(), editedArgs: z.unknown().optional() }),
])

interface DecisionPayload {
  readonly approved: boolean
  readonly reason?: string | undefined
  readonly editedArgs?: unknown
}

function decisionIn(entry: AgUiResumeEntry): Decision {
  if (entry.status === 'cancelled') return { approved: false }
  const payload: DecisionPayload | undefined = decisionPayload.safeParse(entry.payload).data
  if (payload === undefined) {
    throw new ProblemError(
      400,
      'invalid-body',
      'The payload of a decision is true, false, or {"approved": true or false, "reason": "…"}.',
    )
  }
  const { approved, reason, editedArgs } = payload
  // Without an error the person would believe that the changed arguments were used.
  if (editedArgs !== undefined) {
    throw new ProblemError(
      400,
      'edited-arguments',
      'The arguments of a call cannot be changed here. Allow it as it is, or deny it and say in "reason" what you want instead.',
    )
  }
  return { approved, reason: reason?.slice(0, maxReasonLength) }
}

const maxReasonLength = 1_000

/** Returns the ids of the calls that the client has, and of those whose results it has. */
function shownCalls(messages: readonly AgUiMessage[]) {
  const ended = messages.flatMap(({ role, toolCallId }) => (role === 'tool' ? [toolCallId] : []))
  const called = messages.flatMap(({ toolCalls }) => (Array.isArray(toolCalls) ? toolCalls : []))
  const ids = called.map(call => (isRecord(call) ? call['id'] : undefined))
  return { ended: new Set<unknown>(ended), all: new Set<unknown>([...ended, ...ids]) }
}

import { type ChatKey, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Decision } from '../../runs/approval-waits.ts'
import { agUiCallId } from '../../stream/ag-ui/ag-ui-calls.ts'
import type { AgUiMessage } from '../../stream/ag-ui/ag-ui-event.ts'
import { findWait } from '../../stream/waits/find-wait.ts'
import type { Services } from '../context.ts'
import type { AgUiResumeEntry } from './ag-ui-body.ts'

/** A run that waited for decisions, with the decisions. */
export interface ResumedRun {
  readonly run: Run
  /** The client has everything up to this entry. */
  readonly resumesAfter: number
  /** The person's decisions on calls of this run, by the ids of the approvals. */
  readonly decisions: ReadonlyMap<string, Decision>
}

interface Asked extends ChatKey {
  readonly messages: readonly AgUiMessage[]
  readonly resume: readonly AgUiResumeEntry[]
}

/** Finds the run that waits for these decisions. Returns `undefined` when none of the interrupts is of this chat. */
export async function findResumed(services: Services, asked: Asked): Promise<ResumedRun | undefined> {
  const { resume, messages } = asked
  const { log } = services.store
  const decisions = new Map(resume.map(entry => [entry.interruptId, decisionIn(entry)]))
  const run = await runOf(services, asked)
  if (run === undefined) return undefined
  const wait = await findWait(log, run, {
    open: new Set(decisions.keys()),
    hasEnd: toolCallId => hasResult(messages, agUiCallId(run.answerId, toolCallId)),
  })
  if (wait === undefined) return undefined
  const known = [...decisions].filter(([id]) => wait.calls.has(id))
  return { run, resumesAfter: wait.after.seq, decisions: new Map(known) }
}

/** Carries out the decisions. One that comes too late changes nothing. The stream shows what happened to the call. */
export async function carryOut({ approvals }: Services, { run, decisions }: ResumedRun): Promise<void> {
  const { ownerId, chatId } = run
  for (const [id, decision] of decisions) await approvals.decide(ownerId, id, { ...decision, chatId })
}

/** Returns the run that one of the interrupts belongs to. In a chat at most one run waits. */
async function runOf({ store }: Services, { ownerId, chatId, resume }: Asked): Promise<Run | undefined> {
  for (const { interruptId } of resume) {
    const approval = await store.approvals.find(ownerId, interruptId)
    if (approval?.chatId === chatId) return store.runs.get(ownerId, approval.runId)
  }
  return undefined
}

function decisionIn(entry: AgUiResumeEntry): Decision {
  if (entry.status === 'cancelled') return { approved: false }
  const { approved, reason, editedArgs }: DecisionPayload = entry.payload
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

interface DecisionPayload {
  readonly approved: boolean
  readonly reason?: string | undefined
  readonly editedArgs?: unknown
}

const maxReasonLength = 1_000

function hasResult(messages: readonly AgUiMessage[], toolCallId: string): boolean {
  return messages.some(({ role, ...message }) => role === 'tool' && message['toolCallId'] === toolCallId)
}

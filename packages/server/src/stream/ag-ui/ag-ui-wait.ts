import type { AwaitedApproval } from '../waits/run-waits.ts'
import { agUiCallId } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEvent, AgUiInterrupt } from './ag-ui-event.ts'
import { runStarted, subAgentStarted } from './ag-ui-lifecycle.ts'
import type { AgUiState } from './ag-ui-state.ts'

/** How an AG-UI run ends that waits for these approvals: everybody at work is suspended. */
export function suspended(
  state: AgUiState,
  approvals: readonly AwaitedApproval[],
  timestamp: number,
): readonly AgUiEvent[] {
  const { threadId, runId, answerId: messageId } = state.request
  const interrupts = approvals.map(approval => interruptFor(state, approval))
  const end: AgUiBody = {
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome: { type: 'interrupt', interrupts },
    // What the whole answer has used is told when it has ended.
    usage: [],
    metadata: { throughline: { messageId, ...state.authors.get(messageId) } },
  }
  const steps = [...state.steps].map(([stepName, author]) =>
    by(state, author, { type: 'STEP_FINISHED', stepName }),
  )
  // Callers after those who work for them.
  const subAgents = subAgentsOf(state).toReversed()
  const pauses = subAgents.map(([author, metadata]) => {
    const own = approvals.filter(approval => approval.messageId === author)
    const outcome = { type: 'suspended', interruptIds: own.map(({ approvalId }) => approvalId) } as const
    return by(state, author, { type: 'SUBAGENT_FINISHED', outcome, metadata: { throughline: metadata } })
  })
  return [...steps, ...pauses, end].map(event => ({ ...event, timestamp }))
}

/** How the AG-UI run begins that goes on with it: everybody who was suspended is at work again. */
export function resumed(state: AgUiState, timestamp: number): readonly AgUiEvent[] {
  const { answerId } = state.request
  const begin = runStarted(state, state.authors.get(answerId) ?? {})
  const subAgents = subAgentsOf(state).map(([author, metadata]) =>
    by(state, author, subAgentStarted(state, metadata)),
  )
  const steps = [...state.steps].map(([stepName, author]) =>
    by(state, author, { type: 'STEP_STARTED', stepName }),
  )
  return [begin, ...subAgents, ...steps].map(event => ({ ...event, timestamp }))
}

const responseSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

function interruptFor(state: AgUiState, approval: AwaitedApproval): AgUiInterrupt {
  const { approvalId: id, toolCallId, messageId, toolName, input } = approval
  const isSubAgents = messageId !== state.request.answerId
  const isInline = isSubAgents && state.request.subAgents === 'inline'
  const author = isInline ? `${state.request.answerId}:${messageId}` : messageId
  return {
    id,
    // Not "tool_call": for that reason there are clients that make up a result of the call themselves.
    reason: 'approval_required',
    message: `Allow "${toolName}"?`,
    toolCallId: agUiCallId(author, toolCallId),
    responseSchema,
    ...(isSubAgents && !isInline && { subagentRunId: messageId }),
    // What TanStack AI knows a request by that it can answer.
    metadata: { kind: 'approval', toolName, input },
  }
}

/** The sub-agents that the client knows of, in the order in which they began. */
function subAgentsOf({ authors, request }: AgUiState) {
  return request.subAgents === 'separate'
    ? [...authors].filter(([author]) => author !== request.answerId)
    : []
}

function by<Body extends AgUiBody>({ request }: AgUiState, author: string, event: Body) {
  const isMaster = author === request.answerId
  return isMaster || request.subAgents !== 'separate' ? event : { ...event, subagentRunId: author }
}

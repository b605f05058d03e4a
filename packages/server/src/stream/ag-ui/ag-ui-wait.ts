import { type MessageMetadata, questionText } from '@throughline/protocol'
import type { AwaitedCall } from '../run-waits.ts'
import { type AgUiCalls, agUiCallId } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEvent, AgUiInterrupt } from './ag-ui-event.ts'
import { runStarted, subAgentStarted } from './ag-ui-lifecycle.ts'
import type { AgUiRequest } from './ag-ui-request.ts'

/** The agents and steps that are at work, as the client knows them. */
export interface AtWork {
  readonly request: AgUiRequest
  /** The metadata of the agents' messages, by the ids of the messages. */
  readonly authors: ReadonlyMap<string, MessageMetadata>
  /** Who takes a step, by the name of the step. */
  readonly steps: ReadonlyMap<string, string>
  readonly calls: AgUiCalls
  /** When the last entry was written: milliseconds since 1970. */
  readonly timestamp: number
}

/**
 * The events with which an AG-UI run ends while the answer waits for something from outside. AG-UI calls it an interrupt if
 * a person has to say something. A run that waits only for tools of the client simply ends, and the client sends their
 * results in its next run. In both cases all open steps finish, and all sub-agents are suspended.
 */
export function suspended(
  { request, authors, steps, timestamp }: AtWork,
  calls: readonly AwaitedCall[],
): readonly AgUiEvent[] {
  const { threadId, runId, answerId: messageId } = request
  const asked = calls.filter(({ from }) => from !== 'client')
  const interrupts = asked.map(call => interruptFor(request, call))
  const end: AgUiBody = {
    type: 'RUN_FINISHED',
    threadId,
    runId,
    outcome: interrupts.length === 0 ? { type: 'success' } : { type: 'interrupt', interrupts },
    // The usage of the whole answer comes at its end.
    usage: [],
    metadata: { throughline: { messageId, ...authors.get(messageId) } },
  }
  const finished = [...steps].map(([stepName, author]) =>
    by(request, author, { type: 'STEP_FINISHED', stepName }),
  )
  // Sub-agents of sub-agents end first.
  const subAgents = subAgentsOf(request, authors).toReversed()
  const pauses = subAgents.map(([author, metadata]) => {
    const own = asked.filter(call => call.messageId === author)
    const outcome = { type: 'suspended', interruptIds: own.map(({ id }) => id) } as const
    return by(request, author, { type: 'SUBAGENT_FINISHED', outcome, metadata: { throughline: metadata } })
  })
  return [...finished, ...pauses, end].map(event => ({ ...event, timestamp }))
}

/** The events with which the next AG-UI run of the same answer begins: everything that was suspended starts again. */
export function resumed(atWork: AtWork): readonly AgUiEvent[] {
  const { request, authors, steps, timestamp } = atWork
  const begin = runStarted(request, authors.get(request.answerId) ?? {})
  const subAgents = subAgentsOf(request, authors).map(([author, metadata]) =>
    by(request, author, subAgentStarted(atWork, metadata)),
  )
  const started = [...steps].map(([stepName, author]) =>
    by(request, author, { type: 'STEP_STARTED', stepName }),
  )
  return [begin, ...subAgents, ...started].map(event => ({ ...event, timestamp }))
}

const responseSchema = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

function interruptFor(request: AgUiRequest, call: AwaitedCall): AgUiInterrupt {
  const { id, kind, toolCallId, messageId, toolName, input } = call
  const isSubAgents = messageId !== request.answerId
  const isInline = isSubAgents && request.subAgents === 'inline'
  const author = isInline ? `${request.answerId}:${messageId}` : messageId
  return {
    id,
    // Not "tool_call": some clients invent a result of the call when they get that reason.
    ...(kind === 'approval'
      ? { reason: 'approval_required', message: `Allow "${toolName}"?`, responseSchema }
      : { reason: 'input_required', message: questionText(input), responseSchema: {} }),
    toolCallId: agUiCallId(author, toolCallId),
    ...(isSubAgents && !isInline && { subagentRunId: messageId }),
    // TanStack AI shows a request for a decision only with these fields.
    metadata: { kind: kind === 'approval' ? 'approval' : 'input', toolName, input },
  }
}

/** The sub-agents that the client knows of, in the order in which they began. */
function subAgentsOf(request: AgUiRequest, authors: AtWork['authors']) {
  return request.subAgents === 'separate'
    ? [...authors].filter(([author]) => author !== request.answerId)
    : []
}

function by<Body extends AgUiBody>(request: AgUiRequest, author: string, event: Body) {
  const isMaster = author === request.answerId
  return isMaster || request.subAgents !== 'separate' ? event : { ...event, subagentRunId: author }
}

import type { EndStatus, MessageMetadata, Usage } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { type AgUiCalls, agUiCallId } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEntry, AgUiUsage } from './ag-ui-event.ts'
import type { AgUiRequest } from './ag-ui-request.ts'

/** The event with which a run begins. */
export function runStarted(
  { threadId, runId, answerId: messageId }: AgUiRequest,
  metadata: MessageMetadata,
): AgUiBody {
  return {
    type: 'RUN_STARTED',
    threadId,
    runId,
    protocolVersion: '1.0',
    metadata: { throughline: { messageId, ...metadata } },
  }
}

/** The event with which the run or a sub-agent ends. `known`: the metadata that its message had before. */
export function agUiEnd(
  request: AgUiRequest,
  { messageId: author, chunk }: AgUiEntry,
  known: MessageMetadata,
): AgUiBody {
  const metadata = chunk.type === 'finish' ? { ...known, ...chunk.messageMetadata } : known
  const end: End = {
    metadata,
    status: chunk.type === 'finish' ? 'finished' : chunk.type === 'error' ? 'failed' : stopStatus(metadata),
    text: (chunk.type === 'error' ? chunk.errorText : metadata.statusText) ?? 'The answer has ended.',
  }
  return author === request.answerId ? runEnd(request, end) : subAgentEnd(end)
}

interface End {
  readonly status: EndStatus
  readonly text: string
  readonly metadata: MessageMetadata
}

function stopStatus({ status }: MessageMetadata): EndStatus {
  return status === undefined || status === 'streaming' ? 'stopped' : status
}

interface Delegation {
  readonly request: AgUiRequest
  readonly calls: AgUiCalls
}

/** The event with which a sub-agent begins. */
export function subAgentStarted({ request, calls }: Delegation, metadata: MessageMetadata): AgUiBody {
  const { agent, parent, agentUsed = 'agent' } = metadata
  const parentMessageId = parent && calls.messageOf(parent.toolCallId)
  return {
    type: 'SUBAGENT_STARTED',
    name: agent?.name ?? agentUsed,
    ...(parent && parent.messageId !== request.answerId && { parentSubagentRunId: parent.messageId }),
    ...(parent && { parentToolCallId: agUiCallId(parent.messageId, parent.toolCallId) }),
    ...(parentMessageId && { parentMessageId }),
    metadata: { throughline: metadata },
  }
}

// AG-UI has no other event than the one for errors if a sub-agent did not finish.
function subAgentEnd({ status, text, metadata }: End): AgUiBody {
  const own = { metadata: { throughline: metadata } }
  return status === 'finished'
    ? { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' }, ...own }
    : { type: 'SUBAGENT_ERROR', message: text, code: status, ...own }
}

function runEnd(request: AgUiRequest, { status, text, metadata }: End): AgUiBody {
  const { threadId, runId, protocolVersion, answerId: messageId } = request
  const details = { usage: usageOf(metadata.usage), metadata: { throughline: { messageId, ...metadata } } }
  switch (status) {
    case 'finished':
      return {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        outcome: { type: 'success' },
        result: { messageId },
        ...details,
      }
    case 'stopped':
    case 'limit':
      // A client before 1.0 refuses the whole run if it does not know the outcome.
      return {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        ...(protocolVersion !== undefined && { outcome: { type: 'cancelled' } }),
        ...details,
      }
    case 'failed':
    case 'interrupted':
      return { type: 'RUN_ERROR', message: text, code: status, ...details }
  }
}

function usageOf(usage: Usage | undefined): readonly AgUiUsage[] {
  if (usage === undefined) return []
  const { byModel } = usage
  if (byModel === undefined) return [countsOf(usage)]
  return Object.entries(byModel).map(([key, used]) => {
    const [, provider, model = key] = /^([^:]*):(.*)$/s.exec(key) ?? []
    return { ...(provider && { provider }), model, ...countsOf(used) }
  })
}

function countsOf(counts: Usage): AgUiUsage {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = counts
  return {
    inputTokens,
    outputTokens,
    totalTokens,
    ...defined({ reasoningTokens, cachedInputTokens }),
  }
}

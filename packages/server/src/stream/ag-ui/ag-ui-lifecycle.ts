import type { EndStatus, MessageMetadata, Usage } from '@throughline/protocol/metadata'
import { agUiCallId } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEntry, AgUiUsage } from './ag-ui-event.ts'
import type { AgUiMove, AgUiState } from './ag-ui-state.ts'

/** Somebody begins to work: the master, and with it the run, or a sub-agent. */
export function begun(state: AgUiState, author: string, metadata: MessageMetadata = {}): AgUiMove {
  const { answerId, snapshot } = state.request
  const begins = { ...state, authors: new Map(state.authors).set(author, metadata) }
  if (author !== answerId) return { state: begins, events: [subAgentStarted(state, metadata)] }
  return {
    state: begins,
    events: [
      runStarted(state, metadata),
      ...(snapshot ? [{ type: 'MESSAGES_SNAPSHOT', messages: snapshot } as const] : []),
    ],
  }
}

export function runStarted({ request }: AgUiState, metadata: MessageMetadata): AgUiBody {
  const { threadId, runId, answerId: messageId } = request
  return {
    type: 'RUN_STARTED',
    threadId,
    runId,
    protocolVersion: '1.0',
    metadata: { throughline: { messageId, ...metadata } },
  }
}

/** Somebody has ended. */
export function ended(state: AgUiState, { messageId: author, chunk }: AgUiEntry): AgUiMove {
  const authors = new Map(state.authors)
  authors.delete(author)
  const known = state.authors.get(author) ?? {}
  const metadata = chunk.type === 'finish' ? { ...known, ...chunk.messageMetadata } : known
  const end: End = {
    metadata,
    status: chunk.type === 'finish' ? 'finished' : chunk.type === 'error' ? 'failed' : stopStatus(metadata),
    text: (chunk.type === 'error' ? chunk.errorText : metadata.statusText) ?? 'The answer has ended.',
  }
  const isRun = author === state.request.answerId
  return { state: { ...state, authors }, events: [isRun ? runEnd(state, end) : subAgentEnd(end)] }
}

interface End {
  readonly status: EndStatus
  readonly text: string
  readonly metadata: MessageMetadata
}

function stopStatus({ status }: MessageMetadata): EndStatus {
  return status === undefined || status === 'streaming' ? 'stopped' : status
}

export function subAgentStarted({ request, calls }: AgUiState, metadata: MessageMetadata): AgUiBody {
  const { agent, parent, agentUsed = 'agent' } = metadata
  const parentMessageId = parent && calls.get(parent.toolCallId)?.messageId
  return {
    type: 'SUBAGENT_STARTED',
    name: agent?.name ?? agentUsed,
    ...(parent && parent.messageId !== request.answerId && { parentSubagentRunId: parent.messageId }),
    ...(parent && { parentToolCallId: agUiCallId(parent.messageId, parent.toolCallId) }),
    ...(parentMessageId && { parentMessageId }),
    metadata: { throughline: metadata },
  }
}

// A sub-agent that did not come to its end has no other event than the one for errors.
function subAgentEnd({ status, text, metadata }: End): AgUiBody {
  const own = { metadata: { throughline: metadata } }
  return status === 'finished'
    ? { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' }, ...own }
    : { type: 'SUBAGENT_ERROR', message: text, code: status, ...own }
}

function runEnd({ request }: AgUiState, { status, text, metadata }: End): AgUiBody {
  const { threadId, runId, protocolVersion, answerId: messageId } = request
  const told = { usage: usageOf(metadata.usage), metadata: { throughline: { messageId, ...metadata } } }
  switch (status) {
    case 'finished':
      return {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        outcome: { type: 'success' },
        result: { messageId },
        ...told,
      }
    case 'stopped':
    case 'limit':
      // A client before 1.0 refuses the whole run when it does not know the outcome.
      return {
        type: 'RUN_FINISHED',
        threadId,
        runId,
        ...(protocolVersion !== undefined && { outcome: { type: 'cancelled' } }),
        ...told,
      }
    case 'failed':
    case 'interrupted':
      return { type: 'RUN_ERROR', message: text, code: status, ...told }
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
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
  }
}

import { stepDataSchema } from '@throughline/agents/message/steps'
import type { ChunkOf } from '@throughline/protocol/chunk'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import { custom, projectAgUiCall } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEntry, AgUiEvent } from './ag-ui-event.ts'
import { begun, ended } from './ag-ui-lifecycle.ts'
import type { AgUiMove, AgUiState } from './ag-ui-state.ts'

export interface AgUiProjected {
  readonly state: AgUiState
  readonly events: readonly AgUiEvent[]
}

/** Turns one entry of a run into AG-UI events. Pure. */
export function projectAgUi(before: AgUiState, entry: Entry): AgUiProjected {
  const { answerId, subAgents } = before.request
  const { messageId, at: timestamp } = entry
  const isMaster = messageId === answerId
  if (isMaster || subAgents === 'separate') {
    const { state, events } = project(before, entry)
    const author = isMaster ? {} : { subagentRunId: messageId }
    return { state, events: events.map(event => ({ ...event, timestamp, ...author })) }
  }
  if (subAgents === 'hidden') return { state: before, events: [] }
  // Its messages are the answer's: then a client that asks again can tell them from those of others.
  const { state, events } = project(before, { ...entry, messageId: `${answerId}:${messageId}` })
  const shown = events.filter(({ type }) => !type.startsWith('SUBAGENT_'))
  return { state, events: shown.map(event => ({ ...event, timestamp })) }
}

function project(state: AgUiState, entry: AgUiEntry): AgUiMove {
  const { messageId, chunk } = entry
  if (isEndChunk(chunk)) return ended(state, entry)
  if (chunk.type.startsWith('tool-')) {
    const { calls, events } = projectAgUiCall(state, entry)
    return { state: { ...state, ...calls }, events }
  }
  switch (chunk.type) {
    case 'start':
      return begun(state, messageId, chunk.messageMetadata)
    case 'message-metadata':
      return { state: withMetadata(state, messageId, chunk.messageMetadata), events: [] }
    case 'text-delta':
    case 'reasoning-delta':
      return said(state, messageId, chunk)
    case 'text-end':
    case 'reasoning-end':
      return fellSilent(state, messageId, chunk)
    case 'start-step':
      // What is called in this step is no part of what was said in the last one.
      return {
        state: state.holder?.author === messageId ? { ...state, holder: undefined } : state,
        events: [],
      }
    case 'text-start':
    case 'reasoning-start':
    case 'finish-step':
    case 'reset-step':
      return { state, events: [] }
    case 'data-step':
      return stepped(state, entry)
    default:
      return { state, events: [custom(entry)] }
  }
}

function withMetadata(state: AgUiState, author: string, metadata: MessageMetadata | undefined): AgUiState {
  const authors = new Map(state.authors).set(author, { ...state.authors.get(author), ...metadata })
  return { ...state, authors }
}

// A message begins with its first words: one without any would be an empty bubble.
function said(
  state: AgUiState,
  author: string,
  { type, id, delta }: ChunkOf<'text-delta' | 'reasoning-delta'>,
): AgUiMove {
  if (delta === '') return { state, events: [] }
  const messageId = `${author}:${id}`
  const isText = type === 'text-delta'
  const content: AgUiBody = {
    type: isText ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT',
    messageId,
    delta,
  }
  if (state.open.has(messageId)) return { state, events: [content] }
  const open = new Set(state.open).add(messageId)
  if (!isText) {
    return {
      state: { ...state, open, holder: undefined },
      events: [
        { type: 'REASONING_START', messageId },
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        content,
      ],
    }
  }
  const name = state.authors.get(author)?.senderName
  return {
    state: { ...state, open, holder: { author, messageId } },
    events: [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...(name && { name }) }, content],
  }
}

function fellSilent(
  state: AgUiState,
  author: string,
  { type, id }: ChunkOf<'text-end' | 'reasoning-end'>,
): AgUiMove {
  const messageId = `${author}:${id}`
  if (!state.open.has(messageId)) return { state, events: [] }
  const open = new Set(state.open)
  open.delete(messageId)
  return {
    state: { ...state, open },
    events:
      type === 'text-end'
        ? [{ type: 'TEXT_MESSAGE_END', messageId }]
        : [
            { type: 'REASONING_MESSAGE_END', messageId },
            { type: 'REASONING_END', messageId },
          ],
  }
}

// Steps are known by their names, and several of one title may go on at once: the number makes the difference.
function stepped(state: AgUiState, { messageId, chunk }: AgUiEntry): AgUiMove {
  const step = 'data' in chunk ? stepDataSchema.safeParse(chunk.data).data : undefined
  if (step === undefined) return { state, events: [] }
  const stepName = `${step.number}. ${step.title}`
  const isRunning = step.status === 'running'
  if (isRunning === state.steps.has(stepName)) return { state, events: [] }
  const steps = new Map(state.steps)
  if (isRunning) steps.set(stepName, messageId)
  else steps.delete(stepName)
  return {
    state: { ...state, steps },
    events: [{ type: isRunning ? 'STEP_STARTED' : 'STEP_FINISHED', stepName }],
  }
}

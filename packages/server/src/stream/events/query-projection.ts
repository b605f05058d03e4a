import type { ChunkOf } from '@throughline/protocol/chunk'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { EndStatus, MessageMetadata } from '@throughline/protocol/metadata'
import type { QueryEvent, QueryEventOf } from '@throughline/protocol/query-event'
import type { Run } from '@throughline/store/runs'
import { projectCall, type QueryCalls } from './query-calls.ts'
import { projectStep, type QuerySteps } from './query-steps.ts'
import { queryUsage } from './query-usage.ts'

/** How text is told: as it comes, or part by part when each is complete. */
export type QueryLevel = 'delta' | 'step'

/** A run whose entries become events. */
export interface Query {
  readonly run: Pick<Run, 'id' | 'chatId' | 'answerId'>
  readonly level: QueryLevel
}

/** What must be remembered between two entries of a run. */
export interface QueryState extends Query {
  /** All that the answer has said, as in its `final` event. */
  readonly text: string
  /** What the open text part has said. */
  readonly partText: string
  readonly calls: QueryCalls
  readonly steps: QuerySteps
  /** The names of the sub-agents at work, by their messages' ids. */
  readonly agents: ReadonlyMap<string, string>
  /** What the answer's own metadata says about its end. */
  readonly metadata: MessageMetadata
  readonly end: QueryEnd | undefined
}

export interface QueryEnd {
  /** An answer that finished and says nothing is `empty` here: a client that only reads the text must hear of it. */
  readonly status: EndStatus | 'empty'
  /** What there is to know about an answer that did not just finish, in words for a person. */
  readonly status_text?: string
  /** Why there is no whole answer, in words for a person; only when it failed or was interrupted. */
  readonly error?: string
}

export interface Projected {
  readonly state: QueryState
  readonly events: readonly QueryEvent[]
}

export function beginQuery({ run, level }: Query): QueryState {
  return {
    run,
    level,
    text: '',
    partText: '',
    calls: new Map(),
    steps: new Map(),
    agents: new Map(),
    metadata: {},
    end: undefined,
  }
}

/**
 * Turns one entry of the log into events. Pure. What it costs does not grow with what was said before: text is only
 * ever appended to, and read once, at the end.
 */
export function projectQuery(state: QueryState, entry: Entry): Projected {
  if (entry.runId !== state.run.id || state.end !== undefined) return { state, events: [] }
  return entry.messageId === state.run.answerId ? projectAnswer(state, entry) : projectOther(state, entry)
}

function projectAnswer(state: QueryState, entry: Entry): Projected {
  const { chunk } = entry
  switch (chunk.type) {
    case 'text-start':
      return { state: { ...state, partText: '' }, events: [] }
    case 'text-delta':
      return moreText(state, chunk.delta, entry.at)
    case 'text-end':
      return endOfText(state, entry.at)
    case 'message-metadata':
      return { state: withMetadata(state, chunk.messageMetadata), events: [] }
    case 'finish':
      return ended(withMetadata(state, chunk.messageMetadata), chunk, entry.at)
    case 'abort':
    case 'error':
      return ended(state, chunk, entry.at)
    default:
      return projectWork(state, entry, undefined)
  }
}

/** A sub-agent's text is its caller's to use: of its message only what it does is told. */
function projectOther(state: QueryState, entry: Entry): Projected {
  const { messageId, chunk } = entry
  if (chunk.type === 'start') {
    const { agent, senderName = '' } = chunk.messageMetadata ?? {}
    const agents = new Map(state.agents).set(messageId, agent?.displayName ?? senderName)
    return { state: { ...state, agents }, events: [] }
  }
  if (isEndChunk(chunk)) {
    const agents = new Map(state.agents)
    agents.delete(messageId)
    return { state: { ...state, agents }, events: [] }
  }
  return projectWork(state, entry, state.agents.get(messageId))
}

function projectWork(state: QueryState, entry: Entry, agentName: string | undefined): Projected {
  if (entry.chunk.type === 'data-step') {
    const { steps, events } = projectStep(state.steps, entry, state.run.answerId)
    return { state: { ...state, steps }, events }
  }
  const { calls, events } = projectCall(state.calls, entry, agentName)
  return calls === state.calls ? { state, events } : { state: { ...state, calls }, events }
}

// A client that only strings deltas together must not glue the words of two segments to one another.
const betweenSegments = '\n\n'

function moreText(state: QueryState, delta: string, at: number): Projected {
  if (delta === '') return { state, events: [] }
  const { level, text, partText } = state
  const isApart = partText === '' && text !== ''
  const next = {
    ...state,
    text: text + (isApart ? betweenSegments : '') + delta,
    partText: partText + delta,
  }
  if (level === 'step') return { state: next, events: [] }
  const timestamp = new Date(at).toISOString()
  const deltas = isApart ? [betweenSegments, delta] : [delta]
  return { state: next, events: deltas.map(each => ({ type: 'text_delta', delta: each, timestamp })) }
}

function endOfText(state: QueryState, at: number): Projected {
  const { level, partText: content } = state
  const next = { ...state, partText: '' }
  if (level === 'delta' || content === '') return { state: next, events: [] }
  return { state: next, events: [{ type: 'text', content, timestamp: new Date(at).toISOString() }] }
}

function withMetadata(state: QueryState, metadata: MessageMetadata | undefined): QueryState {
  return { ...state, metadata: { ...state.metadata, ...metadata } }
}

function ended(state: QueryState, chunk: ChunkOf<'finish' | 'abort' | 'error'>, at: number): Projected {
  const { text: content, metadata, run } = state
  const end = endOf(chunk, metadata)
  const timestamp = new Date(at).toISOString()
  const last: QueryEvent =
    end.error === undefined
      ? { type: 'final', content, ...statusOf(end), timestamp }
      : { type: 'error', error: end.error, timestamp }
  const usage = queryUsage(metadata.usage)
  return {
    state: { ...state, end },
    events: [last, { type: 'usage', session_id: run.chatId, usage, timestamp }],
  }
}

function endOf(
  chunk: ChunkOf<'finish' | 'abort' | 'error'>,
  { status, statusText, isEmpty }: MessageMetadata,
): QueryEnd {
  const inWords = statusText === undefined ? {} : { status_text: statusText }
  switch (chunk.type) {
    case 'finish':
      return { status: isEmpty === true ? 'empty' : 'finished', ...inWords }
    case 'error':
      return { status: 'failed', error: chunk.errorText }
    case 'abort':
      if (status === 'limit') return { status, ...inWords }
      if (status !== 'interrupted') return { status: 'stopped', ...inWords }
      return { status, error: statusText ?? chunk.reason ?? 'The answer was interrupted.' }
  }
}

function statusOf({ status, status_text }: QueryEnd): Pick<QueryEventOf<'final'>, 'status' | 'status_text'> {
  return {
    ...((status === 'stopped' || status === 'limit' || status === 'empty') && { status }),
    ...(status_text !== undefined && { status_text }),
  }
}

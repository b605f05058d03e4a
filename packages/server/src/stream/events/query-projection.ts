import { stepDataSchema } from '@throughline/agents/internal'
import {
  type Chunk,
  type ChunkOf,
  type EndStatus,
  type Entry,
  isEndChunk,
  type MessageMetadata,
  type QueryEvent,
  type QueryEventOf,
  type QueryModelUsage,
  type QueryUsage,
  type Usage,
} from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import type { Projection } from '../run-form.ts'
import { QueryCalls } from './query-calls.ts'

/** How text is sent: delta by delta, or each text part when it is complete. */
export type QueryLevel = 'delta' | 'step'

/** The run that a query asks for, and how its text is sent. */
export interface AskedQuery {
  readonly run: Pick<Run, 'chatId' | 'answerId'>
  readonly level: QueryLevel
}

/** An answer as far as it has come. */
export interface QueryAnswer {
  /** The text of the answer, as in its `final` event. */
  readonly text: string
  readonly metadata: MessageMetadata
  /** `undefined` while the answer is being written. */
  readonly end: QueryEnd | undefined
  /** The requests on which a person has to decide now. */
  readonly requests: readonly QueryEventOf<'approval_request'>[]
  /** The calls that wait for their outputs now. */
  readonly outputs: readonly QueryEventOf<'output_request'>[]
}

/** Two text parts are separated by this, so that a client can simply join all deltas. */
const betweenParts = '\n\n'

/** Turns a run into the events of the event API. */
export class QueryProjection implements Projection<QueryEvent> {
  readonly #query: AskedQuery
  readonly #calls = new QueryCalls()
  readonly #steps: QuerySteps
  /** The names of the sub-agents at work, by the ids of their messages. */
  readonly #subAgents = new Map<string, string>()
  #text = ''
  /** The text of the open text part. */
  #partText = ''
  #metadata: MessageMetadata = {}
  #end: QueryEnd | undefined

  constructor(query: AskedQuery) {
    this.#query = query
    this.#steps = new QuerySteps(query.run.answerId)
  }

  /** The answer after the last entry that was written. */
  get answer(): QueryAnswer {
    const requests = this.#calls.openRequests()
    const outputs = this.#calls.openOutputs()
    return { text: this.#text, metadata: this.#metadata, end: this.#end, requests, outputs }
  }

  write(entry: Entry): readonly QueryEvent[] {
    if (this.#end !== undefined) return []
    return entry.messageId === this.#query.run.answerId
      ? this.#writeAnswer(entry)
      : this.#writeSubAgent(entry)
  }

  #writeAnswer(entry: Entry): readonly QueryEvent[] {
    const { chunk, at } = entry
    switch (chunk.type) {
      case 'text-start':
        this.#partText = ''
        return []
      case 'text-delta':
        return this.#addText(chunk.delta, at)
      case 'text-end':
        return this.#endPart(at)
      case 'message-metadata':
        this.#addMetadata(chunk)
        return []
      case 'finish':
        this.#addMetadata(chunk)
        return this.#endAnswer(chunk, at)
      case 'abort':
      case 'error':
        return this.#endAnswer(chunk, at)
      default:
        return this.#writeWork(entry, undefined)
    }
  }

  /** Of a sub-agent only tool calls and steps are shown. Its text is for the agent that called it. */
  #writeSubAgent(entry: Entry): readonly QueryEvent[] {
    const { messageId, chunk } = entry
    if (chunk.type === 'start') {
      const { agent, senderName = '' } = chunk.messageMetadata ?? {}
      this.#subAgents.set(messageId, agent?.displayName ?? senderName)
      return []
    }
    if (isEndChunk(chunk)) {
      this.#subAgents.delete(messageId)
      return []
    }
    return this.#writeWork(entry, this.#subAgents.get(messageId))
  }

  #writeWork(entry: Entry, agentName: string | undefined): readonly QueryEvent[] {
    const { chunk, at } = entry
    return chunk.type === 'data-step' ? this.#steps.write(entry) : this.#calls.write(chunk, { agentName, at })
  }

  #addText(delta: string, at: number): readonly QueryEvent[] {
    if (delta === '') return []
    const deltas = this.#partText === '' && this.#text !== '' ? [betweenParts, delta] : [delta]
    for (const each of deltas) this.#text += each
    this.#partText += delta
    if (this.#query.level === 'step') return []
    const timestamp = new Date(at).toISOString()
    return deltas.map(each => ({ type: 'text_delta', delta: each, timestamp }))
  }

  #endPart(at: number): readonly QueryEvent[] {
    const content = this.#partText
    this.#partText = ''
    if (this.#query.level === 'delta' || content === '') return []
    return [{ type: 'text', content, timestamp: new Date(at).toISOString() }]
  }

  #addMetadata({ messageMetadata }: Extract<Chunk, { messageMetadata?: MessageMetadata }>): void {
    this.#metadata = { ...this.#metadata, ...messageMetadata }
  }

  #endAnswer(chunk: ChunkOf<'finish' | 'abort' | 'error'>, at: number): readonly QueryEvent[] {
    const end = queryEnd(chunk, this.#metadata)
    this.#end = end
    const timestamp = new Date(at).toISOString()
    const last: QueryEvent =
      end.error === undefined
        ? { type: 'final', content: this.#text, ...statusOf(end), timestamp }
        : { type: 'error', error: end.error, timestamp }
    const { chatId: session_id } = this.#query.run
    return [last, { type: 'usage', session_id, usage: queryUsage(this.#metadata.usage), timestamp }]
  }
}

function statusOf({ status, status_text }: QueryEnd): Pick<QueryEventOf<'final'>, 'status' | 'status_text'> {
  return {
    ...((status === 'stopped' || status === 'limit' || status === 'empty') && { status }),
    ...defined({ status_text }),
  }
}

/** How an answer ended, in the fields of the event API. */
interface QueryEnd {
  /** `empty`: the answer finished without text. A client that reads only the text has to be told. */
  readonly status: EndStatus | 'empty'
  /** Details about the end, in words for a person. */
  readonly status_text?: string
  /** Why the answer is not complete, in words for a person. Only when it failed or was interrupted. */
  readonly error?: string
}

/** Returns how an answer ended. `metadata` is that of the whole answer, with what its last chunk says. */
function queryEnd(
  chunk: ChunkOf<'finish' | 'abort' | 'error'>,
  { status, statusText, isEmpty }: MessageMetadata,
): QueryEnd {
  const details = defined({ status_text: statusText })
  switch (chunk.type) {
    case 'finish':
      return { status: isEmpty === true ? 'empty' : 'finished', ...details }
    case 'error':
      return { status: 'failed', error: chunk.errorText }
    case 'abort':
      if (status === 'limit') return { status, ...details }
      if (status !== 'interrupted') return { status: 'stopped', ...details }
      return { status, error: statusText ?? chunk.reason ?? 'The answer was interrupted.' }
  }
}

/** Tells where steps begin and where they end. */
class QuerySteps implements Projection<QueryEvent> {
  readonly #answerId: string
  /** When the open steps began, by their numbers: the log's clock, in milliseconds. */
  readonly #startedAt = new Map<number, number>()

  constructor(answerId: string) {
    this.#answerId = answerId
  }

  write({ chunk, at }: Entry): readonly QueryEvent[] {
    const data = chunk.type === 'data-step' && 'data' in chunk ? chunk.data : undefined
    const parsed = stepDataSchema.safeParse(data)
    if (!parsed.success) return []
    const { title, number, status, durationMs } = parsed.data
    // Step numbers are unique in a run, and ids of answers are unique in a session.
    const step_id = `${this.#answerId}_step_${number}`
    const timestamp = new Date(at).toISOString()
    if (status === 'running') {
      this.#startedAt.set(number, at)
      return [{ type: 'step_start', step_id, title, step_number: number, timestamp }]
    }
    // A step that a crash cut off has no duration. It took at most until now.
    const duration_ms = Math.max(0, durationMs ?? at - (this.#startedAt.get(number) ?? at))
    this.#startedAt.delete(number)
    return [{ type: 'step_complete', step_id, status, duration_ms, timestamp }]
  }
}

/**
 * Returns an answer's usage in the fields of the event API. Clients calculate with the costs, so these are always numbers;
 * `cost_known` says whether they are the whole cost. An answer without usage has zero tokens and no known cost: it called no
 * model, or a crash cut it off.
 */
export function queryUsage(usage: Usage | undefined): QueryUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, cost = null, byModel = {} } = usage ?? {}
  const models = Object.entries(byModel).map(([model, used]): QueryModelUsage => {
    return {
      model,
      prompt_tokens: used.inputTokens,
      completion_tokens: used.outputTokens,
      total_tokens: used.totalTokens,
      cost: used.cost ?? 0,
      cost_known: used.cost != null,
      invocations: used.calls,
    }
  })
  return {
    total_tokens: totalTokens,
    total_prompt_tokens: inputTokens,
    total_completion_tokens: outputTokens,
    total_cost: cost ?? models.reduce((sum, each) => sum + each.cost, 0),
    cost_known: cost !== null,
    by_model: Object.fromEntries(models.map(each => [each.model, each])),
  }
}

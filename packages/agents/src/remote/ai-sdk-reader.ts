import { type Chunk, type ChunkOf, chunkProblem, isChunk, isUnknownChunk } from '@throughline/protocol'
import { type AgentEvent, type FinishReason, isFinishReason, type ToolCall } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import type { FormReader, ReaderOptions, RemoteEvent, StreamProgress } from './form-reader.ts'
import { readJson } from './read-json.ts'
import { usageIn } from './token-counts.ts'

/** Reads a stream of the AI SDK's UI-message chunks. Another Throughline sends the same chunks. */
export class AiSdkReader implements FormReader {
  progress: StreamProgress = 'open'
  readonly #options: ReaderOptions
  readonly #calls = new Map<string, ToolCall>()
  /** The calls that have a result, or will have none. */
  readonly #ended = new Set<string>()
  /** The calls that wait for a person, by the ids of their approvals. */
  readonly #waiting = new Map<string, string>()
  /** The text or reasoning that deltas are added to. The stream may change to another one without an end. */
  #partId: string | undefined
  /** Removes what a provider sends twice. */
  #text = new ShownOnce()
  #metadata: Readonly<Record<string, unknown>> = {}

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(data: string): readonly RemoteEvent[] {
    if (data === '[DONE]') return this.#done()
    const { errors } = this.#options
    const value = readJson(data, errors)
    // A newer version may have more types of chunks.
    if (isUnknownChunk(value)) return []
    if (!isChunk(value)) throw errors.unreadable(chunkProblem(value) ?? 'an event is not a chunk')
    if (value.type === 'text-delta') return this.#textDelta(value)
    const events = this.#eventsOf(value)
    return events.length === 0 ? [] : [...this.#pause(value.type), ...events]
  }

  end(): readonly RemoteEvent[] {
    return [...this.#pause(), ...usageIn(this.#metadata, this.#options.provider)]
  }

  // A route may write its own chunks, and no `finish`.
  #done(): readonly RemoteEvent[] {
    const isFinished = this.progress === 'complete'
    this.progress = 'done'
    return isFinished ? [] : [...this.#pause(), { type: 'finish', finishReason: 'stop' }]
  }

  /** Another Throughline has removed already what a provider sends twice. */
  #textDelta({ id, delta, providerMetadata }: ChunkOf<'text-delta'>): readonly AgentEvent[] {
    const ends = this.#begin(id, 'text-delta')
    const before = ends.length === 0 ? [] : [...this.#pause('text-end'), ...ends]
    const text = this.#options.isModelText === false ? delta : this.#text.take(delta)
    return text === '' ? before : [...before, { type: 'text-delta', text, providerMetadata }]
  }

  /** Returns what was held back of the text, before something else than text. */
  #pause(before?: Chunk['type']): readonly AgentEvent[] {
    const events = textEvents(this.#text.pause())
    if (before !== undefined && endsOfText.has(before)) this.#text = new ShownOnce()
    return events
  }

  #eventsOf(chunk: Chunk): readonly RemoteEvent[] {
    switch (chunk.type) {
      case 'start-step':
        return [{ type: 'step-start' }]
      case 'finish-step':
        return [{ type: 'step-end' }]
      case 'reasoning-delta': {
        const { id, delta, providerMetadata } = chunk
        return [...this.#begin(id, chunk.type), { type: chunk.type, text: delta, providerMetadata }]
      }
      case 'text-end':
        return [{ type: 'text-end', citations: chunk.citations, providerMetadata: chunk.providerMetadata }]
      case 'reasoning-end':
        return [{ type: 'reasoning-end', providerMetadata: chunk.providerMetadata }]
      case 'source-url':
      case 'source-document':
        return [{ type: 'source', chunk }]
      case 'file':
      case 'reasoning-file':
        return [{ type: 'file', chunk }]
      case 'start':
      case 'message-metadata':
      case 'finish':
      case 'abort':
      case 'error':
        return this.#lifecycle(chunk)
      default:
        return chunk.type === 'data-ui-event'
          ? [{ type: 'ui-event', data: 'data' in chunk ? chunk.data : undefined }]
          : this.#toolEvents(chunk)
    }
  }

  #begin(id: string, type: 'text-delta' | 'reasoning-delta'): readonly AgentEvent[] {
    const partId = `${type}:${id}`
    const isOther = this.#partId !== undefined && this.#partId !== partId
    this.#partId = partId
    return isOther ? [{ type: type === 'text-delta' ? 'text-end' : 'reasoning-end' }] : []
  }

  #lifecycle(chunk: LifecycleChunk): readonly RemoteEvent[] {
    const { errors } = this.#options
    switch (chunk.type) {
      case 'start':
      case 'message-metadata':
        this.#metadata = { ...this.#metadata, ...chunk.messageMetadata }
        return []
      case 'finish':
        this.#metadata = { ...this.#metadata, ...chunk.messageMetadata }
        this.progress = 'complete'
        return [...this.#unapproved(), this.#end(chunk.finishReason)]
      case 'abort':
        this.progress = 'complete'
        return [{ type: 'error', error: errors.stopped(chunk.reason) }]
      case 'error':
        this.progress = 'complete'
        return [{ type: 'error', error: errors.reported(chunk.errorText) }]
    }
  }

  #toolEvents(chunk: Chunk): readonly AgentEvent[] {
    if (endTypes.has(chunk.type) && 'toolCallId' in chunk) this.#ended.add(chunk.toolCallId)
    switch (chunk.type) {
      case 'tool-input-start':
        return [{ type: 'tool-input-start', ...startOf(chunk) }]
      case 'tool-input-delta':
        return [{ type: 'tool-input-delta', toolCallId: chunk.toolCallId, text: chunk.inputTextDelta }]
      case 'tool-input-available':
        return [{ type: 'tool-call', ...this.#know(chunk) }]
      case 'tool-input-error':
        return [{ type: 'tool-call-invalid', ...this.#know(chunk), errorText: chunk.errorText }]
      case 'tool-output-available': {
        const type = chunk.preliminary === true ? 'tool-progress' : 'tool-result'
        return [{ type, ...this.#callOf(chunk.toolCallId), output: chunk.output }]
      }
      case 'tool-output-error':
        return [{ type: 'tool-error', ...this.#callOf(chunk.toolCallId), errorText: chunk.errorText }]
      case 'tool-output-denied':
        return [{ type: 'tool-error', ...this.#callOf(chunk.toolCallId), errorText: 'The call was denied.' }]
      case 'tool-approval-request':
        this.#waiting.set(chunk.approvalId, chunk.toolCallId)
        return []
      case 'tool-approval-response':
        this.#waiting.delete(chunk.approvalId)
        return []
      // Not shown. Parts are opened at their first delta, and data of the application has no event.
      default:
        return []
    }
  }

  /** A service that ends its stream where somebody else has to go on has not finished its answer. */
  #end(reason: FinishReason | undefined): AgentEvent {
    const { errors } = this.#options
    if (this.#waiting.size > 0) return { type: 'error', error: errors.needsPerson() }
    const open = [...this.#calls.values()].filter(({ toolCallId }) => !this.#ended.has(toolCallId))
    if (reason === 'tool-calls' && open.length > 0)
      return { type: 'error', error: errors.needsTools(open.map(({ toolName }) => toolName)) }
    return { type: 'finish', finishReason: finishReasonOf(reason) }
  }

  /** Returns the ends of calls that wait for a person. Nobody can decide here, and the stream is over. */
  #unapproved(): readonly AgentEvent[] {
    const errorText = 'The call waits for an approval, which can only be given on the page of the service.'
    return [...this.#waiting.values()].map(id => ({ type: 'tool-error', ...this.#callOf(id), errorText }))
  }

  #know(chunk: CallChunk): ToolCall {
    const call = { ...startOf(chunk), input: chunk.input }
    this.#calls.set(call.toolCallId, call)
    return call
  }

  // A stream may have the result of a call that an earlier message has.
  #callOf(toolCallId: string): ToolCall {
    return this.#calls.get(toolCallId) ?? { toolCallId, toolName: 'tool', input: {} }
  }
}

const endsOfText: ReadonlySet<string> = new Set(['text-end', 'start-step', 'finish-step'])

const endTypes: ReadonlySet<string> = new Set([
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
  'tool-input-error',
])

type LifecycleChunk = ChunkOf<'start' | 'message-metadata' | 'finish' | 'abort' | 'error'>
type CallChunk = ChunkOf<'tool-input-available' | 'tool-input-error'>

function startOf(chunk: CallChunk | ChunkOf<'tool-input-start'>): Omit<ToolCall, 'input'> {
  const { toolCallId, toolName, title, dynamic, providerExecuted, providerMetadata } = chunk
  return { toolCallId, toolName, title, dynamic, providerExecuted, providerMetadata }
}

// AI SDK 5 sends none.
function finishReasonOf(reason: FinishReason | undefined): FinishReason {
  if (reason === undefined) return 'stop'
  return isFinishReason(reason) ? reason : 'other'
}

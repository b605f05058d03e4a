import type { Chunk } from '@throughline/protocol/chunk'
import { newTextIn } from '@throughline/protocol/monotonic-text'
import type { AgentEvent, MessageEnd, ProviderMetadata, ToolCall } from './agent-event.ts'
import { toJsonValue } from './json-value.ts'

/** What must be remembered between two events of one message. */
export interface Segments {
  readonly textId: string | undefined
  readonly reasoningId: string | undefined
  /** The newest call under each id the agent uses. */
  readonly tools: ReadonlyMap<string, KnownTool>
  /** The ids of all calls on the stream. */
  readonly toolCallIds: ReadonlySet<string>
  /** The text of this step, for events that repeat it. */
  readonly stepText: string
  readonly partCount: number
}

interface KnownTool {
  /** The id on the stream: the agent's own, unless another call has it. */
  readonly toolCallId: string
  readonly toolName: string
  /** As the call began: readers tell the part of a dynamic tool from another's. */
  readonly dynamic: boolean | undefined
  readonly state: 'input' | 'called' | 'done'
}

export interface Segmented {
  readonly segments: Segments
  readonly chunks: readonly Chunk[]
}

export const noSegments: Segments = {
  textId: undefined,
  reasoningId: undefined,
  tools: new Map(),
  toolCallIds: new Set(),
  stepText: '',
  partCount: 0,
}

/**
 * Turns one agent event into chunks. Pure. Text and reasoning parts are opened when they are needed and
 * closed when anything else comes between, each segment with a new id, so the parts of a message stand in
 * the order in which things happened, whatever ids the provider used.
 */
export function segment(before: Segments, event: AgentEvent | MessageEnd): Segmented {
  const writer = new SegmentWriter(before)
  writer.write(event)
  return { segments: writer.segments, chunks: writer.chunks }
}

class SegmentWriter {
  segments: Segments
  readonly chunks: Chunk[] = []

  constructor(segments: Segments) {
    this.segments = segments
  }

  write(event: AgentEvent | MessageEnd): void {
    switch (event.type) {
      case 'step-start':
        this.#closeParts()
        // Readers look for a call in its own step only: what is called now under this id is another part.
        this.#closeTools('its input never arrived in full.', tool => tool.state === 'input')
        this.#set({ stepText: '' })
        this.chunks.push({ type: 'start-step' })
        return
      case 'step-end':
        this.#closeParts()
        this.chunks.push({ type: 'finish-step' })
        return
      case 'text-delta':
        return this.#text(event.text, event.providerMetadata)
      case 'text-snapshot':
        return this.#text(newTextIn(event.text, this.segments.stepText))
      case 'text-end':
        return this.#closeText(event)
      case 'reasoning-delta':
        return this.#reasoning(event.text, event.providerMetadata)
      case 'reasoning-end':
        return this.#closeReasoning(event.providerMetadata)
      case 'content':
        if (event.reasoning) this.#reasoning(event.reasoning)
        for (const call of event.toolCalls ?? []) this.#tool({ type: 'tool-call', ...call })
        if (event.text) this.#text(event.text)
        return
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-call':
      case 'tool-call-invalid':
      case 'tool-progress':
      case 'tool-result':
      case 'tool-error':
        return this.#tool(event)
      case 'source':
      case 'file':
        this.#closeParts()
        this.chunks.push(event.chunk)
        return
      case 'ui-event':
        this.chunks.push({ type: 'data-ui-event', data: toJsonValue(event.data), transient: true })
        return
      case 'response-done':
      case 'finish':
      case 'error':
        return this.#closeParts()
      case 'end':
        return this.#end(event)
    }
  }

  #text(text: string, providerMetadata?: ProviderMetadata): void {
    if (text === '' && providerMetadata === undefined) return
    this.#closeReasoning()
    const id = this.segments.textId ?? this.#newPartId('text')
    if (this.segments.textId === undefined) this.chunks.push({ type: 'text-start', id })
    this.#set({ textId: id, stepText: this.segments.stepText + text })
    this.chunks.push({ type: 'text-delta', id, delta: text, ...given({ providerMetadata }) })
  }

  #reasoning(text: string, providerMetadata?: ProviderMetadata): void {
    if (text === '' && providerMetadata === undefined) return
    this.#closeText()
    const id = this.segments.reasoningId ?? this.#newPartId('reasoning')
    if (this.segments.reasoningId === undefined) this.chunks.push({ type: 'reasoning-start', id })
    this.#set({ reasoningId: id })
    this.chunks.push({ type: 'reasoning-delta', id, delta: text, ...given({ providerMetadata }) })
  }

  #tool(event: ToolEvent): void {
    const tool = this.segments.tools.get(event.toolCallId)
    const isRunning = tool?.state === 'called'
    switch (event.type) {
      // A call that comes again while its tool is at work changes nothing.
      case 'tool-input-start':
        if (!isRunning) this.#startInput(event)
        return
      case 'tool-input-delta':
        if (tool?.state !== 'input') return
        this.chunks.push({
          type: 'tool-input-delta',
          toolCallId: tool.toolCallId,
          inputTextDelta: event.text,
        })
        return
      case 'tool-call':
        if (!isRunning) this.#call(event)
        return
      case 'tool-call-invalid':
        return isRunning ? this.#answer({ ...event, type: 'tool-error' }) : this.#rejectCall(event)
      case 'tool-progress':
      case 'tool-result':
      case 'tool-error':
        return this.#answer(event)
    }
  }

  #startInput(call: Omit<ToolCall, 'input'>): void {
    this.#closeParts()
    this.chunks.push({ type: 'tool-input-start', ...this.#know(call, 'input') })
  }

  #call(call: ToolCall): void {
    this.#closeParts()
    const input = toJsonValue(call.input)
    this.chunks.push({ type: 'tool-input-available', ...this.#know(call, 'called'), input })
  }

  #rejectCall({ errorText, ...call }: ToolCall & { readonly errorText: string }): void {
    this.#closeParts()
    const input = toJsonValue(call.input)
    this.chunks.push({ type: 'tool-input-error', ...this.#know(call, 'done'), input, errorText })
  }

  // A result that comes again changes nothing. One whose call was never seen gets its call first.
  #answer(event: Extract<ToolEvent, { type: 'tool-progress' | 'tool-result' | 'tool-error' }>): void {
    const known = this.segments.tools.get(event.toolCallId)
    if (known?.state === 'done') return
    if (known?.state !== 'called') this.#call(event)
    const isProgress = event.type === 'tool-progress'
    const { toolCallId } = this.#know(event, isProgress ? 'called' : 'done')
    const { providerExecuted, dynamic, providerMetadata } = event
    const fields = { toolCallId, ...given({ providerExecuted, dynamic, providerMetadata }) }
    if (event.type === 'tool-error') {
      this.chunks.push({ type: 'tool-output-error', ...fields, errorText: event.errorText })
      return
    }
    const output = toJsonValue(event.output)
    const preliminary = isProgress ? { preliminary: true } : {}
    this.chunks.push({ type: 'tool-output-available', ...fields, output, ...preliminary })
  }

  /** Remembers how a call stands, and answers what its chunks say about it. */
  #know(call: Omit<ToolCall, 'input'>, state: KnownTool['state']) {
    const known = this.segments.tools.get(call.toolCallId)
    const { toolName, title, providerExecuted, providerMetadata } = call
    const { toolCallId, dynamic } =
      known === undefined || known.state === 'done'
        ? { toolCallId: this.#newToolCallId(call.toolCallId), dynamic: call.dynamic }
        : known
    const tools = new Map(this.segments.tools)
    this.#set({ tools: tools.set(call.toolCallId, { toolCallId, toolName, dynamic, state }) })
    return { toolCallId, toolName, ...given({ title, dynamic, providerExecuted, providerMetadata }) }
  }

  #newToolCallId(wanted: string): string {
    let id = wanted
    while (this.segments.toolCallIds.has(id)) id = this.#newPartId(wanted)
    this.#set({ toolCallIds: new Set(this.segments.toolCallIds).add(id) })
    return id
  }

  #end({ status, finishReason, usage, text }: MessageEnd): void {
    this.#closeParts()
    this.#closeTools(text ?? 'The tool gave no result.')
    const messageMetadata = {
      status,
      ...given({ finishReason, usage, statusText: status === 'finished' ? undefined : text }),
    }
    if (status === 'finished') {
      this.chunks.push({ type: 'finish', ...given({ finishReason }), messageMetadata })
      return
    }
    this.chunks.push({ type: 'message-metadata', messageMetadata })
    const reason = text ?? status
    this.chunks.push(status === 'failed' ? { type: 'error', errorText: reason } : { type: 'abort', reason })
  }

  // Otherwise the card of a tool that will never answer spins for ever.
  #closeTools(reason: string, isClosed = ({ state }: KnownTool) => state !== 'done'): void {
    for (const [id, tool] of this.segments.tools) {
      if (!isClosed(tool)) continue
      const { toolCallId } = this.#know({ toolCallId: id, toolName: tool.toolName }, 'done')
      this.chunks.push({ type: 'tool-output-error', toolCallId, errorText: `Interrupted: ${reason}` })
    }
  }

  #closeParts(): void {
    this.#closeReasoning()
    this.#closeText()
  }

  #closeText({ providerMetadata, citations }: TextEnd = {}): void {
    const { textId: id } = this.segments
    if (id === undefined) return
    this.#set({ textId: undefined })
    this.chunks.push({ type: 'text-end', id, ...given({ providerMetadata, citations }) })
  }

  #closeReasoning(providerMetadata?: ProviderMetadata): void {
    const { reasoningId: id } = this.segments
    if (id === undefined) return
    this.#set({ reasoningId: undefined })
    this.chunks.push({ type: 'reasoning-end', id, ...given({ providerMetadata }) })
  }

  #newPartId(prefix: string): string {
    this.#set({ partCount: this.segments.partCount + 1 })
    return `${prefix}-${this.segments.partCount}`
  }

  #set(change: Partial<Segments>): void {
    this.segments = { ...this.segments, ...change }
  }
}

type ToolEvent = Extract<AgentEvent, { type: `tool-${string}` }>
type TextEnd = Omit<Extract<AgentEvent, { type: 'text-end' }>, 'type'>

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The fields that have a value: on the wire a missing field and an undefined one are the same. */
function given<T extends object>(fields: T): Given<T> {
  const present: Given<T> = {}
  for (const key in fields) {
    const value = fields[key]
    if (isGiven(value)) present[key] = value
  }
  return present
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined
}

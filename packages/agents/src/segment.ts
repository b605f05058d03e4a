import type { Chunk } from '@throughline/protocol/chunk'
import { newTextIn } from '@throughline/protocol/monotonic-text'
import type { AgentEvent, MessageEnd, ProviderMetadata, ToolCall } from './agent-event.ts'

/** What must be remembered between two events of one message. */
export interface Segments {
  readonly textId: string | undefined
  readonly reasoningId: string | undefined
  /** By the id the agent uses. */
  readonly tools: ReadonlyMap<string, KnownTool>
  /** The text of this step, for events that repeat it. */
  readonly stepText: string
  readonly partCount: number
}

interface KnownTool {
  /** The id on the stream: the agent's own, unless it names a second call by the id of a finished one. */
  readonly toolCallId: string
  readonly toolName: string
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
        for (const call of event.toolCalls ?? []) this.#call(call)
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
        this.chunks.push({ type: 'data-ui-event', data: event.data, transient: true })
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
    switch (event.type) {
      case 'tool-input-start':
        return this.#startInput(event)
      case 'tool-input-delta':
        if (tool?.state !== 'input') return
        this.chunks.push({
          type: 'tool-input-delta',
          toolCallId: tool.toolCallId,
          inputTextDelta: event.text,
        })
        return
      case 'tool-call':
        if (tool?.state !== 'called') this.#call(event)
        return
      case 'tool-call-invalid':
        return this.#rejectCall(event)
      case 'tool-progress':
      case 'tool-result':
      case 'tool-error':
        return this.#answer(event)
    }
  }

  #startInput(call: Omit<ToolCall, 'input'>): void {
    this.#closeParts()
    const toolCallId = this.#know(call, 'input')
    this.chunks.push({ type: 'tool-input-start', ...callFields(call), toolCallId })
  }

  #call(call: ToolCall): void {
    this.#closeParts()
    const toolCallId = this.#know(call, 'called')
    this.chunks.push({ type: 'tool-input-available', ...callFields(call), toolCallId, input: call.input })
  }

  #rejectCall(call: ToolCall & { readonly errorText: string }): void {
    this.#closeParts()
    const toolCallId = this.#know(call, 'done')
    const { input, errorText } = call
    this.chunks.push({ type: 'tool-input-error', ...callFields(call), toolCallId, input, errorText })
  }

  // A result that comes again changes nothing. One whose call was never seen gets its call first.
  #answer(event: Extract<ToolEvent, { type: 'tool-progress' | 'tool-result' | 'tool-error' }>): void {
    const known = this.segments.tools.get(event.toolCallId)
    if (known?.state === 'done') return
    if (known?.state !== 'called') this.#call(event)
    const isProgress = event.type === 'tool-progress'
    const toolCallId = isProgress ? this.#idOf(event) : this.#know(event, 'done')
    const { providerExecuted, dynamic, providerMetadata } = event
    const fields = { toolCallId, ...given({ providerExecuted, dynamic, providerMetadata }) }
    if (event.type === 'tool-error') {
      this.chunks.push({ type: 'tool-output-error', ...fields, errorText: event.errorText })
      return
    }
    const preliminary = isProgress ? { preliminary: true } : {}
    // JSON drops undefined, and an output must be there.
    this.chunks.push({
      type: 'tool-output-available',
      ...fields,
      output: event.output ?? null,
      ...preliminary,
    })
  }

  /** Remembers a tool's state and answers its id on the stream. */
  #know(call: Omit<ToolCall, 'input'>, state: KnownTool['state']): string {
    const known = this.segments.tools.get(call.toolCallId)
    const isAnotherCall = known?.state === 'done'
    const toolCallId = isAnotherCall
      ? this.#newPartId(call.toolCallId)
      : (known?.toolCallId ?? call.toolCallId)
    const tool = { toolCallId, toolName: call.toolName, state }
    this.#set({ tools: new Map(this.segments.tools).set(call.toolCallId, tool) })
    return toolCallId
  }

  #idOf(call: ToolCall): string {
    return this.segments.tools.get(call.toolCallId)?.toolCallId ?? call.toolCallId
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
  #closeTools(reason: string): void {
    for (const [id, tool] of this.segments.tools) {
      if (tool.state === 'done') continue
      this.#know({ toolCallId: id, toolName: tool.toolName }, 'done')
      this.chunks.push({
        type: 'tool-output-error',
        toolCallId: tool.toolCallId,
        errorText: `Interrupted: ${reason}`,
      })
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

function callFields(call: Omit<ToolCall, 'input'>) {
  const { toolCallId, toolName, title, dynamic, providerExecuted, providerMetadata } = call
  return { toolCallId, toolName, ...given({ title, dynamic, providerExecuted, providerMetadata }) }
}

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

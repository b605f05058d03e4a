import { type Chunk, finishStep, type StepUsage } from '@throughline/protocol'
import { defined, newTextIn, serverSentence } from '@throughline/protocol/internal'
import type { AgentEvent, MessageEnd, ProviderMetadata } from '../agent/agent-event.ts'
import { toJsonValue } from '../values/json-value.ts'
import { beginsPart, closeTools, segmentTool, type ToolEvent } from './segment-tool.ts'
import { type KnownTool, noToolCalls, type ToolCalls } from './tool-calls.ts'

/** What `segment` remembers from one event of a message to the next. */
export interface Segments {
  readonly textId: string | undefined
  readonly reasoningId: string | undefined
  readonly calls: ToolCalls
  /** The text of this step so far. Some events repeat it, and only what is new is shown. */
  readonly stepText: string
  readonly partCount: number
}

/** The chunks of an event, and the state after it. */
export interface Segmented {
  readonly segments: Segments
  readonly chunks: readonly Chunk[]
}

/** The state at the beginning of a message. */
export const noSegments: Segments = {
  textId: undefined,
  reasoningId: undefined,
  calls: noToolCalls,
  stepText: '',
  partCount: 0,
}

/**
 * Turns one agent event into chunks. A pure function. It opens a text or reasoning part when one is needed, and closes it
 * when something else comes. Every part gets a new id, whatever ids the provider used. So the parts of a message stand in
 * the order in which things happened.
 */
export function segment(before: Segments, event: AgentEvent | MessageEnd): Segmented {
  if (event.type === 'text-delta' && isMoreText(before, event)) return moreText(before, event.text)
  const writer = new SegmentWriter(before)
  writer.write(event)
  return { segments: writer.segments, chunks: writer.chunks }
}

type TextDelta = Extract<AgentEvent, { type: 'text-delta' }>

// Nearly all events are more text of the open part, so there is a fast path for them.
function isMoreText({ textId, reasoningId }: Segments, { text, providerMetadata }: TextDelta): boolean {
  return textId !== undefined && reasoningId === undefined && text !== '' && providerMetadata === undefined
}

function moreText(before: Segments, text: string): Segmented {
  const { textId: id = '' } = before
  const segments = { ...before, stepText: before.stepText + text }
  return { segments, chunks: [{ type: 'text-delta', id, delta: text }] }
}

class SegmentWriter {
  segments: Segments
  readonly chunks: Chunk[] = []

  constructor(segments: Segments) {
    this.segments = segments
  }

  write(event: AgentEvent | MessageEnd): void {
    if (isToolEvent(event)) return this.#tool(event)
    switch (event.type) {
      case 'step-start':
        this.#closeParts()
        // Readers look for a call only in its own step. A call with the same id in this step is another part.
        this.#closeTools(serverSentence('input-incomplete'), tool => tool.state === 'input')
        this.#set({ stepText: '' })
        this.chunks.push({ type: 'start-step' })
        return
      case 'step-end':
        this.#closeParts()
        this.chunks.push(finishStep(stepUsage(event)))
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
    this.chunks.push({ type: 'text-delta', id, delta: text, ...defined({ providerMetadata }) })
  }

  #reasoning(text: string, providerMetadata?: ProviderMetadata): void {
    if (text === '' && providerMetadata === undefined) return
    this.#closeText()
    const id = this.segments.reasoningId ?? this.#newPartId('reasoning')
    if (this.segments.reasoningId === undefined) this.chunks.push({ type: 'reasoning-start', id })
    this.#set({ reasoningId: id })
    this.chunks.push({ type: 'reasoning-delta', id, delta: text, ...defined({ providerMetadata }) })
  }

  #tool(event: ToolEvent): void {
    if (beginsPart(this.segments.calls, event)) this.#closeParts()
    const { calls, chunks } = segmentTool(this.segments.calls, event)
    this.#set({ calls })
    this.chunks.push(...chunks)
  }

  #end({ status, finishReason, usage, text, isEmpty, lastToolError }: MessageEnd): void {
    this.#closeParts()
    const noResult = serverSentence('no-result')
    this.#closeTools(status === 'finished' ? noResult : (text ?? noResult))
    const messageMetadata = {
      status,
      ...defined({ finishReason, usage, statusText: text, isEmpty, lastToolError }),
    }
    if (status === 'finished') {
      this.chunks.push({ type: 'finish', ...defined({ finishReason }), messageMetadata })
      return
    }
    this.chunks.push({ type: 'message-metadata', messageMetadata })
    const reason = text ?? status
    this.chunks.push(status === 'failed' ? { type: 'error', errorText: reason } : { type: 'abort', reason })
  }

  #closeTools(reason: string, isClosed?: (tool: KnownTool) => boolean): void {
    const { calls, chunks } = closeTools(this.segments.calls, reason, isClosed)
    this.#set({ calls })
    this.chunks.push(...chunks)
  }

  #closeParts(): void {
    this.#closeReasoning()
    this.#closeText()
  }

  #closeText({ providerMetadata, citations }: TextEnd = {}): void {
    const { textId: id } = this.segments
    if (id === undefined) return
    this.#set({ textId: undefined })
    this.chunks.push({ type: 'text-end', id, ...defined({ providerMetadata, citations }) })
  }

  #closeReasoning(providerMetadata?: ProviderMetadata): void {
    const { reasoningId: id } = this.segments
    if (id === undefined) return
    this.#set({ reasoningId: undefined })
    this.chunks.push({ type: 'reasoning-end', id, ...defined({ providerMetadata }) })
  }

  #newPartId(prefix: string): string {
    this.#set({ partCount: this.segments.partCount + 1 })
    return `${prefix}-${this.segments.partCount}`
  }

  #set(change: Partial<Segments>): void {
    this.segments = { ...this.segments, ...change }
  }
}

type StepEnd = Extract<AgentEvent, { type: 'step-end' }>

/** Returns what the agent says about its step. The frame adds the cost when the chunk is written. */
function stepUsage({ usage, model }: StepEnd): StepUsage | undefined {
  return usage && { model: model ?? 'unknown', ...usage }
}

type TextEnd = Omit<Extract<AgentEvent, { type: 'text-end' }>, 'type'>

function isToolEvent(event: AgentEvent | MessageEnd): event is ToolEvent {
  return event.type.startsWith('tool-')
}

import type { Chunk, ChunkOf } from '@throughline/protocol/chunk'
import type { MessageMetadata } from '@throughline/protocol/metadata'

/**
 * The data stream lines of AI SDK 4: one `code:JSON` per line, for one message. The form has neither parts nor
 * positions, so it can be read from its beginning only.
 */
export interface DataStreamState {
  readonly messageId: string
  readonly step: Step
  /** Calls whose input is on its way: whether any of it has been sent. */
  readonly inputs: ReadonlyMap<string, boolean>
  /** What is known of the message's end before it comes. */
  readonly metadata: MessageMetadata
}

interface Step {
  readonly textId?: string
  readonly reasoningId?: string
  readonly hasCalls: boolean
}

export interface DataStreamed {
  readonly state: DataStreamState
  readonly lines: readonly string[]
}

/** A line that changes nothing: readers of this form know no comments. */
export const dataStreamHeartbeat = '2:[]\n'

export function beginDataStream(messageId: string): DataStreamState {
  return { messageId, step: emptyStep, inputs: new Map(), metadata: {} }
}

/** Turns one chunk of an answer into lines. Pure. */
export function projectDataStream(before: DataStreamState, chunk: Chunk): DataStreamed {
  const writer = new DataStreamWriter(before)
  writer.write(chunk)
  return { state: writer.state, lines: writer.lines }
}

const emptyStep: Step = { hasCalls: false }

class DataStreamWriter {
  state: DataStreamState
  readonly lines: string[] = []

  constructor(state: DataStreamState) {
    this.state = state
  }

  write(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start':
        this.#line('f', { messageId: this.state.messageId })
        return this.#annotate(chunk.messageMetadata)
      case 'start-step':
        if (this.state.step !== emptyStep) this.#nextStep()
        return
      case 'text-delta':
        return this.#text('textId', '0', chunk)
      case 'reasoning-delta':
        return this.#text('reasoningId', 'g', chunk)
      // Readers begin a part with its first piece, and end it with the step.
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
      case 'finish-step':
      case 'reset-step':
        return
      case 'source-url': {
        const { sourceId: id, url, title } = chunk
        return this.#line('h', { sourceType: 'url', id, url, title })
      }
      case 'file':
        return this.#file(chunk)
      case 'message-metadata':
        return this.#annotate(chunk.messageMetadata)
      case 'finish':
        this.#annotate(chunk.messageMetadata)
        return this.#end(finishReasonFrom(chunk.finishReason))
      case 'abort':
        return this.#abort(chunk)
      case 'error':
        return this.#fail(chunk.errorText)
      default:
        return this.#tool(chunk)
    }
  }

  #tool(chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool-input-start': {
        const { toolCallId, toolName } = chunk
        // A call that begins again goes on here: nothing can be taken back.
        if (this.state.inputs.has(toolCallId)) return
        this.#call(toolCallId, false)
        return this.#line('b', { toolCallId, toolName })
      }
      case 'tool-input-delta': {
        const { toolCallId, inputTextDelta: argsTextDelta } = chunk
        if (argsTextDelta === '') return
        this.#call(toolCallId, true)
        return this.#line('c', { toolCallId, argsTextDelta })
      }
      case 'tool-input-available':
        return this.#input(chunk)
      case 'tool-input-error':
        this.#input(chunk)
        return this.#result(chunk.toolCallId, { result: chunk.errorText, isError: true })
      case 'tool-output-available':
        // A result is the last word on a call here.
        if (chunk.preliminary === true) return
        return this.#result(chunk.toolCallId, { result: chunk.output ?? null })
      case 'tool-output-error':
        return this.#result(chunk.toolCallId, { result: chunk.errorText, isError: true })
      case 'tool-output-denied':
        return this.#result(chunk.toolCallId, { result: 'The call was denied.', isError: true })
      default:
        // What this form has no line for, as it is: readers keep it as data.
        return this.#line('2', [chunk])
    }
  }

  // AI SDK 4 adds all text of a step to the step's first: what is said later must be in another step. But there are
  // readers for which the end of a step is the end of all arguments: as long as some are on their way, it must wait.
  #text(part: 'textId' | 'reasoningId', code: '0' | 'g', { id, delta }: { id: string; delta: string }): void {
    if (delta === '') return
    const open = this.state.step[part]
    if (open !== undefined && open !== id && this.state.inputs.size === 0) this.#nextStep()
    if (open !== id) this.#set({ step: { ...this.state.step, [part]: id } })
    this.#line(code, delta)
  }

  #input({ toolCallId, toolName, input }: ChunkOf<'tool-input-available' | 'tool-input-error'>): void {
    const args = argsFrom(input)
    // There are readers that take the arguments from the pieces alone once a call has begun in pieces.
    if (this.state.inputs.get(toolCallId) === false)
      this.#line('c', { toolCallId, argsTextDelta: JSON.stringify(args) })
    this.#set({
      step: { ...this.state.step, hasCalls: true },
      inputs: without(this.state.inputs, toolCallId),
    })
    this.#line('9', { toolCallId, toolName, args })
  }

  #call(toolCallId: string, hasArgs: boolean): void {
    if (this.state.inputs.get(toolCallId) === hasArgs) return
    const inputs = new Map(this.state.inputs).set(toolCallId, hasArgs)
    this.#set({ step: { ...this.state.step, hasCalls: true }, inputs })
  }

  #result(toolCallId: string, result: { readonly result: unknown; readonly isError?: true }): void {
    if (this.state.inputs.has(toolCallId)) this.#set({ inputs: without(this.state.inputs, toolCallId) })
    this.#line('a', { toolCallId, ...result })
  }

  #file(chunk: ChunkOf<'file'>): void {
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(chunk.url) ?? []
    if (data === undefined) this.#line('2', [chunk])
    else this.#line('k', { data, mimeType: chunk.mediaType })
  }

  #annotate(metadata: MessageMetadata | undefined): void {
    if (metadata === undefined) return
    this.#set({ metadata: { ...this.state.metadata, ...metadata } })
    this.#line('8', [{ throughline: metadata }])
  }

  #nextStep(): void {
    this.#endStep(this.state.step.hasCalls ? 'tool-calls' : 'unknown')
    this.#set({ step: emptyStep })
    this.#line('f', { messageId: this.state.messageId })
  }

  // What a step used by itself is not in the log.
  #endStep(finishReason: string): void {
    this.#line('e', { finishReason, usage: usageFrom({}), isContinued: false })
  }

  #abort({ reason }: ChunkOf<'abort'>): void {
    const { status, statusText, finishReason } = this.state.metadata
    if (status === 'interrupted') return this.#fail(statusText ?? reason ?? 'The answer was interrupted.')
    return this.#end(finishReason === 'length' ? 'length' : 'other')
  }

  #fail(text: string): void {
    this.#line('3', text)
    this.#end('error')
  }

  #end(finishReason: string): void {
    this.#endStep(finishReason)
    this.#line('d', { finishReason, usage: usageFrom(this.state.metadata) })
  }

  #set(change: Partial<DataStreamState>): void {
    this.state = { ...this.state, ...change }
  }

  #line(code: string, value: unknown): void {
    this.lines.push(`${code}:${JSON.stringify(value)}\n`)
  }
}

// This reason is younger than the form.
function finishReasonFrom(finishReason: ChunkOf<'finish'>['finishReason']): string {
  return finishReason === 'interrupted' ? 'error' : (finishReason ?? 'unknown')
}

/** Unknown counts are `null`, as AI SDK 4 writes them. */
function usageFrom({ usage }: MessageMetadata) {
  return { promptTokens: usage?.inputTokens ?? null, completionTokens: usage?.outputTokens ?? null }
}

// Readers throw on arguments that are no object.
function argsFrom(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : { input: input ?? null }
}

function without(inputs: ReadonlyMap<string, boolean>, toolCallId: string): ReadonlyMap<string, boolean> {
  const rest = new Map(inputs)
  rest.delete(toolCallId)
  return rest
}

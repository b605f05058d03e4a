import type { Chunk, ChunkOf, Entry, MessageId, MessageMetadata } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../bytes/encoded-pages.ts'
import type { LateForm, Projection, RunForm } from '../run-form.ts'
import { isOfRun } from '../run-pages.ts'

/** The same headers as an AI SDK 4 server's. */
export const dataStreamHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-vercel-ai-data-stream': 'v1',
}

/** The heartbeat is a line without data. Readers of this form know neither comments nor `retry:`. */
const transport = { opening: new Uint8Array(), heartbeat: Buffer.from('2:[]\n') }

/** How a data stream begins before its run. */
export const lateDataStream: LateForm = {
  headers: dataStreamHeaders,
  transport,
  refusal: ({ message }) => [Buffer.from(`3:${JSON.stringify(message)}\n`)],
}

/** The answer as data stream lines of AI SDK 4. The form has neither ids nor an end of its own. */
export function dataStreamForm(run: Run): RunForm {
  const projection = new DataStreamProjection(run)
  return {
    headers: dataStreamHeaders,
    transport,
    encode: entries =>
      piecesOf(entries.filter(entry => isOfRun(entry, run)).flatMap(entry => projection.write(entry))),
    end: [],
  }
}

interface Step {
  readonly textId?: string
  readonly reasoningId?: string
  readonly hasCalls: boolean
}

const emptyStep: Step = { hasCalls: false }

/**
 * Turns an answer into the data stream lines of AI SDK 4: one `code:JSON` per line. The form has room for one message,
 * so sub-agents are left out.
 */
class DataStreamProjection implements Projection<string> {
  readonly #messageId: MessageId
  /** Calls whose input is still being written, and whether any of the input has been sent. */
  readonly #inputs = new Map<string, boolean>()
  #step = emptyStep
  /** The message's metadata so far. Its last lines need it. */
  #metadata: MessageMetadata = {}
  #lines: string[] = []

  constructor(run: Pick<Run, 'answerId'>) {
    this.#messageId = run.answerId
  }

  write({ messageId, chunk }: Entry): readonly string[] {
    if (messageId !== this.#messageId) return []
    this.#lines = []
    this.#write(chunk)
    return this.#lines
  }

  #write(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start':
        this.#line('f', { messageId: this.#messageId })
        return this.#annotate(chunk.messageMetadata)
      case 'start-step':
        if (this.#step !== emptyStep) this.#nextStep()
        return
      case 'text-delta':
        return this.#writeText('textId', '0', chunk)
      case 'reasoning-delta':
        return this.#writeText('reasoningId', 'g', chunk)
      // Readers begin a part with its first delta, and end it with its step.
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
        return this.#writeFile(chunk)
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
        return this.#writeCall(chunk)
    }
  }

  #writeCall(chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool-input-start': {
        const { toolCallId, toolName } = chunk
        // A call that begins again is the same call here: lines that were sent cannot be taken back.
        if (this.#inputs.has(toolCallId)) return
        this.#openInput(toolCallId, false)
        return this.#line('b', { toolCallId, toolName })
      }
      case 'tool-input-delta': {
        const { toolCallId, inputTextDelta: argsTextDelta } = chunk
        if (argsTextDelta === '') return
        this.#openInput(toolCallId, true)
        return this.#line('c', { toolCallId, argsTextDelta })
      }
      case 'tool-input-available':
        return this.#endInput(chunk)
      case 'tool-input-error':
        this.#endInput(chunk)
        return this.#writeResult(chunk.toolCallId, { result: chunk.errorText, isError: true })
      case 'tool-output-available':
        // Readers take any result for the final one.
        if (chunk.preliminary === true) return
        return this.#writeResult(chunk.toolCallId, { result: chunk.output ?? null })
      case 'tool-output-error':
        return this.#writeResult(chunk.toolCallId, { result: chunk.errorText, isError: true })
      case 'tool-output-denied':
        return this.#writeResult(chunk.toolCallId, { result: 'The call was denied.', isError: true })
      default:
        // The form has no line for this chunk. Readers keep it as data.
        return this.#line('2', [chunk])
    }
  }

  // AI SDK 4 appends all text of a step to the step's first text. So a later text part needs a step of its own. But for
  // some readers a step's end also ends the arguments of its calls: while any are still being written, the step stays.
  #writeText(
    part: 'textId' | 'reasoningId',
    code: '0' | 'g',
    { id, delta }: ChunkOf<'text-delta' | 'reasoning-delta'>,
  ): void {
    if (delta === '') return
    const open = this.#step[part]
    if (open !== undefined && open !== id && this.#inputs.size === 0) this.#nextStep()
    if (open !== id) this.#step = { ...this.#step, [part]: id }
    this.#line(code, delta)
  }

  #openInput(toolCallId: string, hasArgs: boolean): void {
    if (this.#inputs.get(toolCallId) === hasArgs) return
    this.#step = { ...this.#step, hasCalls: true }
    this.#inputs.set(toolCallId, hasArgs)
  }

  #endInput({ toolCallId, toolName, input }: ChunkOf<'tool-input-available' | 'tool-input-error'>): void {
    const args = argsFrom(input)
    // Some readers take the arguments from the `c:` lines alone if the call began with a `b:` line.
    if (this.#inputs.get(toolCallId) === false)
      this.#line('c', { toolCallId, argsTextDelta: JSON.stringify(args) })
    this.#step = { ...this.#step, hasCalls: true }
    this.#inputs.delete(toolCallId)
    this.#line('9', { toolCallId, toolName, args })
  }

  #writeResult(toolCallId: string, result: { readonly result: unknown; readonly isError?: true }): void {
    this.#inputs.delete(toolCallId)
    this.#line('a', { toolCallId, ...result })
  }

  #writeFile(chunk: ChunkOf<'file'>): void {
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(chunk.url) ?? []
    if (data === undefined) this.#line('2', [chunk])
    else this.#line('k', { data, mimeType: chunk.mediaType })
  }

  #annotate(metadata: MessageMetadata | undefined): void {
    if (metadata === undefined) return
    this.#metadata = { ...this.#metadata, ...metadata }
    this.#line('8', [{ throughline: metadata }])
  }

  #nextStep(): void {
    this.#endStep(this.#step.hasCalls ? 'tool-calls' : 'unknown')
    this.#step = emptyStep
    this.#line('f', { messageId: this.#messageId })
  }

  // Here a step has no usage. That of the run is in the last line.
  #endStep(finishReason: string): void {
    this.#line('e', { finishReason, usage: usageFrom({}), isContinued: false })
  }

  #abort({ reason }: ChunkOf<'abort'>): void {
    const { status, statusText, finishReason } = this.#metadata
    if (status === 'interrupted') return this.#fail(statusText ?? reason ?? 'The answer was interrupted.')
    return this.#end(finishReason === 'length' ? 'length' : 'other')
  }

  #fail(text: string): void {
    this.#line('3', text)
    this.#end('error')
  }

  #end(finishReason: string): void {
    this.#endStep(finishReason)
    this.#line('d', { finishReason, usage: usageFrom(this.#metadata) })
  }

  #line(code: string, value: unknown): void {
    this.#lines.push(`${code}:${JSON.stringify(value)}\n`)
  }
}

// AI SDK 4 does not know the reason `interrupted`.
function finishReasonFrom(finishReason: ChunkOf<'finish'>['finishReason']): string {
  return finishReason === 'interrupted' ? 'error' : (finishReason ?? 'unknown')
}

/** AI SDK 4 writes `null` for counts that it does not know. */
function usageFrom({ usage }: MessageMetadata) {
  return { promptTokens: usage?.inputTokens ?? null, completionTokens: usage?.outputTokens ?? null }
}

// Readers throw on arguments that are not an object.
function argsFrom(input: unknown): object {
  return typeof input === 'object' && input !== null ? input : { input: input ?? null }
}

import { type Chunk, type ChunkOf, type Entry, encodeSse, type MessageMetadata } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../bytes/encoded-pages.ts'
import { plainEvent } from '../bytes/sse-events.ts'
import type { LateForm, Projection, RunForm } from '../run-form.ts'
import { isOfRun } from '../run-pages.ts'
import type { AwaitedCall } from '../run-waits.ts'
import { answerEnd, type HowAnswerEnded } from './answer-end.ts'
import { argumentsOf, ClientCalls } from './client-calls.ts'
import {
  type Completion,
  type CompletionCall,
  type CompletionChunk,
  type CompletionDelta,
  type CompletionEnd,
  type CompletionEvent,
  completionUsage,
} from './completion.ts'
import { agentFailed, type OpenAiError, openAiTransport, refusedBy } from './open-ai-error.ts'

/** The options of a stream of chat completions. */
export interface CompletionOptions {
  /** The client asked for the usage at the end of the stream. */
  readonly includeUsage: boolean
  /** The client has everything up to this entry from earlier completions, and sends the outputs of calls. */
  readonly after?: number | undefined
}

/** Two parts of the answer are separated by this, because the client simply joins all deltas. */
const betweenParts = '\n\n'

type TextField = 'content' | 'reasoning_content'

interface WrittenText {
  readonly text: string
  /** The part that was written last. */
  readonly partId: string
}

const noText: WrittenText = { text: '', partId: '' }

/**
 * Turns an answer into the values of a chat completion. Where the answer waits for calls that the client has to carry out,
 * the completion ends with these calls. The agent's own tool calls are left out: the server has carried them out, and a
 * client would take them for calls that it has to carry out. What sub-agents say is left out too.
 */
export class CompletionProjection implements Projection<CompletionEvent> {
  readonly #run: Run
  readonly #includeUsage: boolean
  readonly #after: number
  readonly #clientCalls = new ClientCalls()
  #calls: readonly CompletionCall[] = []
  #content = noText
  #reasoning = noText
  #metadata: MessageMetadata = {}
  #end: HowAnswerEnded | undefined

  constructor(run: Run, { includeUsage, after = 0 }: CompletionOptions) {
    this.#run = run
    this.#includeUsage = includeUsage
    this.#after = after
  }

  /** Whether nothing more comes: the answer has ended, or waits for calls of the client. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  write(entry: Entry): readonly CompletionEvent[] {
    const { seq, messageId, chunk } = entry
    const awaited = this.#clientCalls.after(entry)
    if (this.#end !== undefined) return []
    if (seq <= this.#after) return seq === this.#after ? [this.#begin()] : []
    const events = messageId === this.#run.answerId ? this.#write(chunk) : []
    return awaited.length === 0 ? events : [...events, ...this.#endWithCalls(awaited)]
  }

  /** Returns the whole answer, or an error if it failed. Throws a `TypeError` before the end of the answer. */
  completion(): Completion | OpenAiError {
    const end = this.#end
    if (end === undefined) throw new TypeError(`The answer ${this.#run.answerId} has not ended.`)
    if (end.type === 'failed') return agentFailed(end.message)
    const message = {
      role: 'assistant',
      content: this.#calls.length > 0 && this.#content.text === '' ? null : this.#content.text,
      refusal: null,
      ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
      ...(this.#reasoning.text !== '' && { reasoning_content: this.#reasoning.text }),
    } as const
    return {
      ...this.#base(),
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: this.#finishReason(end) }],
      usage: completionUsage(this.#metadata.usage),
    }
  }

  #write(chunk: Chunk): readonly CompletionEvent[] {
    switch (chunk.type) {
      case 'start':
        return [this.#begin()]
      case 'text-delta':
        return this.#addText('content', chunk)
      case 'reasoning-delta':
        return this.#addText('reasoning_content', chunk)
      case 'message-metadata':
        this.#addMetadata(chunk.messageMetadata)
        return []
      case 'finish':
        this.#addMetadata(chunk.messageMetadata)
        return this.#endAnswer(chunk)
      case 'abort':
      case 'error':
        return this.#endAnswer(chunk)
      default:
        return []
    }
  }

  #addText(
    field: TextField,
    { id, delta }: ChunkOf<'text-delta' | 'reasoning-delta'>,
  ): readonly CompletionEvent[] {
    if (delta === '') return []
    const { text, partId } = field === 'content' ? this.#content : this.#reasoning
    const added = text !== '' && partId !== id ? betweenParts + delta : delta
    const written = { text: text + added, partId: id }
    if (field === 'content') this.#content = written
    else this.#reasoning = written
    return [this.#chunk({ [field]: added })]
  }

  #addMetadata(metadata: MessageMetadata | undefined): void {
    this.#metadata = { ...this.#metadata, ...metadata }
  }

  #endAnswer(chunk: ChunkOf<'finish' | 'abort' | 'error'>): readonly CompletionEvent[] {
    const end = answerEnd(chunk, this.#metadata)
    this.#end = end
    if (end.type === 'failed') return [agentFailed(end.message)]
    return this.#last(end)
  }

  #begin(): CompletionChunk {
    return this.#chunk({ role: 'assistant', content: '' })
  }

  /** The usage of the whole answer comes with its last completion. */
  #endWithCalls(awaited: readonly AwaitedCall[]): readonly CompletionEvent[] {
    this.#calls = awaited.map(call => {
      const { id, toolName: name } = call
      return { id, type: 'function', function: { name, arguments: argumentsOf(call) } }
    })
    this.#end = { type: 'completed' }
    const tool_calls = this.#calls.map((call, index) => ({ index, ...call }))
    return [this.#chunk({ tool_calls }), ...this.#last(this.#end)]
  }

  #last(end: Exclude<HowAnswerEnded, { readonly type: 'failed' }>): readonly CompletionEvent[] {
    const last = this.#chunk({}, this.#finishReason(end))
    if (!this.#includeUsage) return [last]
    return [last, { ...last, choices: [], usage: completionUsage(this.#metadata.usage) }]
  }

  // There is no reason for an answer that somebody stopped. It looks like one that has finished.
  #finishReason(end: Exclude<HowAnswerEnded, { readonly type: 'failed' }>): CompletionEnd {
    if (this.#calls.length > 0) return 'tool_calls'
    return end.type === 'incomplete' ? end.reason : 'stop'
  }

  #chunk(delta: CompletionDelta, finish_reason: CompletionEnd | null = null): CompletionChunk {
    return {
      ...this.#base(),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(this.#includeUsage && { usage: null }),
    }
  }

  #base() {
    const { answerId, startedAt, agent } = this.#run
    return { id: answerId, created: Math.floor(Date.parse(startedAt) / 1000), model: agent }
  }
}

const done = Buffer.from(encodeSse({ data: '[DONE]' }))

/** Returns how a stream of chat completion chunks begins before its run. */
export function lateCompletion(headers: Readonly<Record<string, string>>): LateForm {
  return {
    headers,
    transport: openAiTransport,
    refusal: problem => [plainEvent(refusedBy(problem)), done],
  }
}

/** The answer as a stream of chat completion chunks. It ends where the run waits for calls of the client, and stays open while it waits for approvals. */
export function completionForm(run: Run, options: CompletionOptions): RunForm {
  const projection = new CompletionProjection(run, options)
  return {
    transport: openAiTransport,
    readsWholeRun: true,
    encode: entries =>
      piecesOf(
        entries
          .filter(entry => isOfRun(entry, run))
          .flatMap(entry => projection.write(entry))
          .map(chunk => encodeSse({ data: JSON.stringify(chunk) })),
      ),
    end: [done],
    waiting: { isVisible: ({ kind }) => kind === 'output', encode: () => [done] },
  }
}

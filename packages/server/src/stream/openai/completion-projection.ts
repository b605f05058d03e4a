import type { Chunk, ChunkOf, Entry, MessageMetadata } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Projection } from '../projection.ts'
import { type AnswerEnd, answerEnd } from './answer-end.ts'
import {
  type Completion,
  type CompletionChunk,
  type CompletionDelta,
  type CompletionEvent,
  completionUsage,
  type FinishReason,
} from './completion.ts'
import { agentFailed, type OpenAiError } from './open-ai-error.ts'

/** The options of a stream of chat completions. */
export interface CompletionOptions {
  /** The client asked for the usage at the end of the stream. */
  readonly includeUsage: boolean
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
 * Turns an answer into the values of a chat completion. The agent's own tool calls are left out: the server has carried
 * them out, and a client would take them for calls that it has to carry out. Sub-agents are left out too.
 */
export class CompletionProjection implements Projection<CompletionEvent> {
  readonly #run: Run
  readonly #includeUsage: boolean
  #content = noText
  #reasoning = noText
  #metadata: MessageMetadata = {}
  #end: AnswerEnd | undefined

  constructor(run: Run, { includeUsage }: CompletionOptions) {
    this.#run = run
    this.#includeUsage = includeUsage
  }

  write({ messageId, chunk }: Entry): readonly CompletionEvent[] {
    return messageId === this.#run.answerId && this.#end === undefined ? this.#write(chunk) : []
  }

  /** Returns the whole answer, or an error if it failed. Throws a `TypeError` before the end of the answer. */
  completion(): Completion | OpenAiError {
    const end = this.#end
    if (end === undefined) throw new TypeError(`The answer ${this.#run.answerId} has not ended.`)
    if (end.type === 'failed') return agentFailed(end.message)
    const message = {
      role: 'assistant',
      content: this.#content.text,
      refusal: null,
      ...(this.#reasoning.text !== '' && { reasoning_content: this.#reasoning.text }),
    } as const
    return {
      ...this.#base(),
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(end) }],
      usage: completionUsage(this.#metadata.usage),
    }
  }

  #write(chunk: Chunk): readonly CompletionEvent[] {
    switch (chunk.type) {
      case 'start':
        return [this.#chunk({ role: 'assistant', content: '' })]
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
    const last = this.#chunk({}, finishReason(end))
    if (!this.#includeUsage) return [last]
    return [last, { ...last, choices: [], usage: completionUsage(this.#metadata.usage) }]
  }

  #chunk(delta: CompletionDelta, finish_reason: FinishReason | null = null): CompletionChunk {
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

// There is no reason for an answer that somebody stopped. It looks like one that has finished.
function finishReason(end: Exclude<AnswerEnd, { readonly type: 'failed' }>): FinishReason {
  return end.type === 'incomplete' ? end.reason : 'stop'
}

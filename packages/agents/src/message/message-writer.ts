import type { Chunk } from '@throughline/protocol/chunk'
import type { MessageId } from '@throughline/protocol/ids'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import type { AgentEvent, MessageEnd, ToolCall } from '../agent-event.ts'
import { AgentEventError } from '../errors/agent-event-error.ts'
import type { Admission } from './admit-event.ts'
import { AnswerContent } from './answer-content.ts'
import { eventProblem } from './event-problem.ts'
import { noSegments, type Segments, segment } from './segment.ts'
import { noToolCalls, streamedCallId } from './segment-tool.ts'
import { createSteps, type StepClock, type Steps } from './steps.ts'
import { WrittenCalls } from './written-calls.ts'

export interface MessageWriterOptions {
  readonly messageId: MessageId
  readonly emit: (chunk: Chunk) => Promise<void>
  readonly clock: StepClock
  /** Stands before the ids of this message's tool calls, so that no two agents' calls have the same. */
  readonly callPrefix?: string
  /** Makes events fit to be written down, or leaves them out; by default all are written as they come. */
  readonly admit?: Admission
  /** How long a tool waits for its call to be written while nothing is written, in milliseconds; 30,000 by default. */
  readonly maxCallWaitMs?: number
}

/**
 * Writes one message: events in, chunks out, in order, whoever brings them (the model's stream, a tool that asks
 * for approval), with exactly one end. What comes after the end is dropped.
 */
export class MessageWriter {
  readonly messageId: MessageId
  /** What the answer says so far. */
  readonly content = new AnswerContent()
  readonly #emit: (chunk: Chunk) => Promise<void>
  readonly #steps: Steps
  readonly #admit: Admission
  readonly #calls: WrittenCalls
  #segments: Segments
  readonly #waiting: (() => void)[] = []
  #isWriting = false
  #writeCount = 0
  #hasEnded = false
  #text = ''

  constructor(options: MessageWriterOptions) {
    const { messageId, emit, clock, callPrefix = '', admit = asItIs, maxCallWaitMs = 30_000 } = options
    this.messageId = messageId
    this.#emit = emit
    this.#steps = createSteps(clock)
    this.#admit = admit
    this.#segments = { ...noSegments, calls: { ...noToolCalls, prefix: callPrefix } }
    this.#calls = new WrittenCalls({
      maxWaitMs: maxCallWaitMs,
      writeCount: () => (this.#isWriting ? undefined : this.#writeCount),
    })
  }

  /** Everything said so far that a person can read; pieces between which something else happened are apart. */
  get text(): string {
    return this.#text
  }

  start(messageMetadata: MessageMetadata): Promise<void> {
    return this.#serially(() => this.#emit({ type: 'start', messageId: this.messageId, messageMetadata }))
  }

  /** Rejects with an `AgentEventError` what is no event; then nothing of it was written, and the message goes on. */
  write(event: AgentEvent): Promise<void> {
    return this.#serially(() => {
      const problem = eventProblem(event)
      if (problem !== undefined) throw new AgentEventError(problem)
      const admitted = this.#admit(event)
      return admitted instanceof Promise ? admitted.then(this.#sendAny) : this.#sendAny(admitted)
    })
  }

  end(end: Omit<MessageEnd, 'type'>): Promise<void> {
    return this.#serially(async () => {
      this.#calls.end()
      await this.#send({ type: 'end', ...end })
      this.#hasEnded = true
    })
  }

  /**
   * Resolves to a call's id on the stream as soon as the call has been written. To be asked once for each call: asked
   * again, it is about the next call under the same id.
   */
  called(toolCallId: string, toolName: string): Promise<string> {
    return this.#calls.next(toolCallId, toolName)
  }

  readonly #sendAny = (event: AgentEvent | undefined): Promise<void> =>
    event === undefined ? nothing : this.#send(event)

  #send(event: AgentEvent | MessageEnd): Promise<void> {
    if (this.#hasEnded) return nothing
    const { segments, chunks } = segment(this.#segments, event)
    this.#segments = segments
    const [only] = chunks
    if (chunks.length === 1 && only?.type === 'text-delta') {
      this.#text += only.delta
      this.content.addText(only.delta)
      return this.#emit(only)
    }
    return this.#sendAll(event, chunks)
  }

  async #sendAll(event: AgentEvent | MessageEnd, chunks: readonly Chunk[]): Promise<void> {
    this.content.add(event, chunks)
    for (const chunk of this.#steps.around(chunks)) {
      if (chunk.type === 'text-start' && this.#text !== '') this.#text += '\n\n'
      if (chunk.type === 'text-delta') this.#text += chunk.delta
      await this.#emit(chunk)
    }
    for (const { toolCallId } of callsIn(event)) {
      this.#calls.add(toolCallId, streamedCallId(this.#segments.calls, toolCallId))
    }
  }

  // One after the other, also when two parts of an agent write at the same time; the next one's turn comes however
  // this one ended. Who finds nobody writing waits for nobody: that is how nearly all chunks come.
  async #serially(work: () => Promise<void>): Promise<void> {
    if (this.#isWriting) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#isWriting = true
    try {
      await work()
    } finally {
      this.#writeCount += 1
      const next = this.#waiting.shift()
      if (next === undefined) this.#isWriting = false
      else next()
    }
  }
}

const nothing = Promise.resolve()

const asItIs: Admission = event => event

function callsIn(event: AgentEvent | MessageEnd): readonly Pick<ToolCall, 'toolCallId'>[] {
  if (event.type === 'tool-call') return [event]
  return event.type === 'content' ? (event.toolCalls ?? []) : []
}

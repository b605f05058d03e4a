import {
  type Chunk,
  isDataPart,
  type MessageId,
  type MessageMetadata,
  type MessageRecord,
  messageOf,
  textOf,
} from '@throughline/protocol'
import type { AgentEvent, MessageEnd, ToolCall } from '../agent/agent-event.ts'
import { AgentEventError } from '../errors/agent-errors.ts'
import type { EventAdmission } from './admit-event.ts'
import { AnswerContent } from './answer-content.ts'
import { eventProblem } from './event-problem.ts'
import { noSegments, type Segments, segment } from './segment.ts'
import { segmentsOf } from './segments-of.ts'
import { createSteps, runningSteps, type StepClock, type Steps } from './steps.ts'
import { ThinkTags } from './think-tags.ts'
import { streamedCallId } from './tool-calls.ts'
import { WrittenCalls } from './written-calls.ts'

/** What a message writer needs. */
export interface MessageWriterOptions {
  readonly messageId: MessageId
  readonly emit: (chunk: Chunk) => Promise<void>
  readonly clock: StepClock
  /** Stands before the ids of this message's tool calls, so that no two agents of a run use the same id. */
  readonly callPrefix?: string
  /** Changes events before they are written, or leaves them out. By default every event is written as it is. */
  readonly admit?: EventAdmission
  /** How long a tool waits for its call to be written while nothing is written, in milliseconds; 30,000 by default. */
  readonly maxCallWaitMs?: number
  /** The message as the log has it, when its run goes on after a crash. By default the message begins now. */
  readonly resumes?: MessageRecord | undefined
  /** Whether an agent that goes on does so in the middle of its last text. By default it begins another text. */
  readonly resumesText?: boolean | undefined
}

/**
 * Writes one message: takes events and emits chunks. Several parts of an agent may write at the same time, such as the
 * model's stream and a tool that asks for approval; the chunks still come in order. A message has exactly one end. Events
 * after the end are dropped.
 */
export class MessageWriter {
  readonly messageId: MessageId
  /** Knows whether the message says anything yet. */
  readonly content = new AnswerContent()
  readonly #emit: (chunk: Chunk) => Promise<void>
  readonly #steps: Steps
  readonly #admit: EventAdmission
  readonly #calls: WrittenCalls
  readonly #thinkTags: ThinkTags
  #segments: Segments
  readonly #waiting: (() => void)[] = []
  #isWriting = false
  #writeCount = 0
  #hasEnded = false
  #text = ''

  constructor(options: MessageWriterOptions) {
    const {
      messageId,
      emit,
      clock,
      callPrefix = '',
      admit = asItIs,
      maxCallWaitMs = 30_000,
      resumes,
      resumesText = false,
    } = options
    this.messageId = messageId
    this.#emit = emit
    this.#steps = createSteps(clock, resumes && runningSteps(resumes))
    this.#admit = admit
    const segments = resumes === undefined ? noSegments : segmentsOf(resumes)
    this.#segments = { ...segments, calls: { ...segments.calls, prefix: callPrefix } }
    if (resumes !== undefined) {
      const message = messageOf(resumes)
      this.#text = textOf(message)
      this.content.addMessage(message)
    }
    this.#thinkTags = new ThinkTags(resumesText ? lastTextIn(resumes) : '')
    this.#calls = new WrittenCalls({
      maxWaitMs: maxCallWaitMs,
      writeCount: () => (this.#isWriting ? undefined : this.#writeCount),
    })
  }

  /** The text written so far. A blank line separates two text parts. */
  get text(): string {
    return this.#text
  }

  start(messageMetadata: MessageMetadata): Promise<void> {
    return this.#serially(() => this.#emit({ type: 'start', messageId: this.messageId, messageMetadata }))
  }

  /** Rejects with an `AgentEventError` when the value is not an event. Then nothing was written, and writing can go on. */
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
      await this.#sendAny({ type: 'end', ...end })
      this.#hasEnded = true
    })
  }

  /**
   * Resolves to a call's id on the stream as soon as the call has been written. Ask once for each call: a second wait
   * with the same id is for the next call with this id. Rejects when the message ends first, and with a
   * `MissingToolCallError` when the call does not come.
   */
  called(toolCallId: string, toolName: string): Promise<string> {
    return this.#calls.next(toolCallId, toolName)
  }

  /** Lets a tool begin whose call an earlier attempt of the run has written. */
  callAgain(toolCallId: string): void {
    this.#calls.add(toolCallId, toolCallId)
  }

  readonly #sendAny = (event: AgentEvent | MessageEnd | undefined): Promise<void> => {
    if (event === undefined) return nothing
    if (this.#thinkTags.passes(event)) return this.#send(event)
    return this.#sendEach(this.#thinkTags.split(event, this.#segments.calls))
  }

  async #sendEach(events: readonly (AgentEvent | MessageEnd)[]): Promise<void> {
    for (const event of events) await this.#send(event)
  }

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

  // Runs one piece of work at a time, in the order of the calls. A piece that fails does not stop the next one. When
  // nothing else is being written, which is nearly always so, there is no wait.
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

/** Returns the text with which a message ends; an empty one when it ends with something else. */
function lastTextIn(record: MessageRecord | undefined): string {
  const parts = record === undefined ? [] : messageOf(record).parts
  const last = parts.findLast(part => !isDataPart(part))
  return last?.type === 'text' ? last.text : ''
}

const asItIs: EventAdmission = event => event

function callsIn(event: AgentEvent | MessageEnd): readonly Pick<ToolCall, 'toolCallId'>[] {
  if (event.type === 'tool-call') return [event]
  return event.type === 'content' ? (event.toolCalls ?? []) : []
}

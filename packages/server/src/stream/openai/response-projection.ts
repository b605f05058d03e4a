import { type Chunk, type ChunkOf, type Entry, encodeSse, type MessageMetadata } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../bytes/encoded-pages.ts'
import type { LateForm, Projection, RunForm } from '../run-form.ts'
import { isOfRun } from '../run-pages.ts'
import type { AwaitedCall } from '../run-waits.ts'
import { answerEnd, type HowAnswerEnded } from './answer-end.ts'
import { ClientCalls } from './client-calls.ts'
import { openAiTransport } from './open-ai-error.ts'
import { type OpenAiResponse, type ResponseRequest, responseIdAfter, responseOf } from './response.ts'
import {
  beginEvents,
  callEvents,
  callItem,
  deltaEvent,
  endEvents,
  type ItemEvent,
  itemOf,
  type ResponseItem,
  type WrittenPart,
} from './response-item.ts'

/** An event of a response. A client resumes after its `sequence_number`. */
export interface ResponseEvent extends ItemEvent {
  /** 0, 1, 2, … without gaps. */
  readonly sequence_number: number
}

/** The request of a response, and where the response begins in its run. */
export interface ResponseProjectionOptions {
  readonly request: ResponseRequest
  /** The client has everything up to this entry from earlier responses. Default: nothing. */
  readonly after?: number | undefined
}

/**
 * Turns an answer into the events of OpenAI's Responses interface. The same entries always become the same events with
 * the same numbers. Each text and each reasoning part is an item of the output. Where the answer waits for calls that the
 * client has to carry out, the response ends with these calls as items. The agent's own tool calls are left out:
 * the server has carried them out, and a client would take them for calls that it has to carry out. Sub-agents are left
 * out too.
 */
export class ResponseProjection implements Projection<ResponseEvent> {
  readonly #run: Run
  readonly #request: ResponseRequest
  readonly #after: number
  readonly #clientCalls = new ClientCalls()
  /** The parts that have ended, in the places where they began. A part that is being written has an empty place. */
  readonly #ended: (ResponseItem | undefined)[] = []
  /** The parts that are being written, by their ids. */
  readonly #open = new Map<string, WrittenPart>()
  /**
   * The ids of the open parts whose last entry has come. Their end is told with the next entry: that one says whether they
   * were complete, or the end of the answer cut them off.
   */
  readonly #closing = new Set<string>()
  #metadata: MessageMetadata = {}
  #end: HowAnswerEnded | undefined
  #endedAt: number | undefined
  #count = 0

  constructor(run: Run, { request, after = 0 }: ResponseProjectionOptions) {
    this.#run = run
    this.#request = request
    this.#after = after
  }

  /** Whether nothing more comes: the answer has ended, or waits for calls of the client. */
  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  write(entry: Entry): readonly ResponseEvent[] {
    const { seq, messageId, chunk, at } = entry
    const awaited = this.#clientCalls.after(entry)
    if (this.#end !== undefined) return []
    if (seq <= this.#after)
      return seq === this.#after ? this.#begun().map(event => this.#numbered(event)) : []
    const events =
      messageId === this.#run.answerId ? [...this.#endClosing(chunk), ...this.#write(chunk, at)] : []
    const all = awaited.length === 0 ? events : [...events, ...this.#endWithCalls(awaited, at)]
    return all.map(event => this.#numbered(event))
  }

  /** The response after the last entry that was written. */
  get response(): OpenAiResponse {
    const open = new Map([...this.#open.values()].map(part => [part.index, itemOf(part)]))
    const output = Array.from(this.#ended, (item, index) => item ?? open.get(index)).filter(
      item => item !== undefined,
    )
    const id = this.#after === 0 ? this.#run.id : responseIdAfter(this.#run.id, this.#after)
    const state = { id, output, metadata: this.#metadata, end: this.#end, endedAt: this.#endedAt }
    return responseOf(this.#run, this.#request, state)
  }

  #write(chunk: Chunk, at: number): readonly ItemEvent[] {
    switch (chunk.type) {
      case 'start':
        return this.#begun()
      case 'text-start':
        return this.#begin('text', chunk.id)
      case 'reasoning-start':
        return this.#begin('reasoning', chunk.id)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#add(chunk)
      case 'text-end':
      case 'reasoning-end':
        if (this.#open.has(chunk.id)) this.#closing.add(chunk.id)
        return []
      case 'message-metadata':
        this.#addMetadata(chunk.messageMetadata)
        return []
      case 'finish':
        this.#addMetadata(chunk.messageMetadata)
        return this.#endAnswer(chunk, at)
      case 'abort':
      case 'error':
        return this.#endAnswer(chunk, at)
      default:
        return []
    }
  }

  #begun(): readonly ItemEvent[] {
    return ['response.created', 'response.in_progress'].map(type => ({ type, response: this.response }))
  }

  #endClosing({ type }: Chunk): readonly ItemEvent[] {
    return endingTypes.has(type) ? [] : [...this.#closing].flatMap(id => this.#endPart(id, 'completed'))
  }

  #endWithCalls(awaited: readonly AwaitedCall[], at: number): readonly ItemEvent[] {
    const last = [...this.#open.keys()].flatMap(id => this.#endPart(id, 'completed'))
    const events = awaited.flatMap(call => {
      const item = callItem(`${this.#run.id}:${call.id}`, call)
      return callEvents(item, this.#ended.push(item) - 1)
    })
    this.#end = { type: 'completed' }
    this.#endedAt = at
    return [...last, ...events, { type: endTypes.completed, response: this.response }]
  }

  #begin(kind: WrittenPart['kind'], id: string): readonly ItemEvent[] {
    const index = this.#ended.push(undefined) - 1
    // A client may refer to an item. The id says which run it is of.
    const itemId = `${this.#run.id}:${id}`
    const part: WrittenPart = { itemId, kind, index, text: '', status: 'in_progress' }
    this.#open.set(id, part)
    return beginEvents(part)
  }

  #add({ id, delta }: ChunkOf<'text-delta' | 'reasoning-delta'>): readonly ItemEvent[] {
    const part = this.#open.get(id)
    if (part === undefined || delta === '') return []
    this.#open.set(id, { ...part, text: part.text + delta })
    return [deltaEvent(part, delta)]
  }

  #endPart(id: string, status: 'completed' | 'incomplete'): readonly ItemEvent[] {
    const open = this.#open.get(id)
    if (open === undefined) return []
    const part = { ...open, status }
    this.#open.delete(id)
    this.#closing.delete(id)
    this.#ended[part.index] = itemOf(part)
    return endEvents(part)
  }

  #addMetadata(metadata: MessageMetadata | undefined): void {
    this.#metadata = { ...this.#metadata, ...metadata }
  }

  #endAnswer(chunk: ChunkOf<'finish' | 'abort' | 'error'>, at: number): readonly ItemEvent[] {
    const end = answerEnd(chunk, this.#metadata)
    const status = end.type === 'completed' ? 'completed' : 'incomplete'
    const last = [...this.#open.keys()].flatMap(id => this.#endPart(id, status))
    this.#end = end
    this.#endedAt = at
    return [...last, { type: endTypes[end.type], response: this.response }]
  }

  #numbered({ type, ...fields }: ItemEvent): ResponseEvent {
    const sequence_number = this.#count
    this.#count += 1
    return { type, sequence_number, ...fields }
  }
}

/** The chunks that come between the last text of an answer and its end. */
const endingTypes: ReadonlySet<Chunk['type']> = new Set([
  'text-end',
  'reasoning-end',
  'finish-step',
  'message-metadata',
  'finish',
  'abort',
  'error',
])

// OpenAI has no event for a response that was cancelled. The status in the response says so.
const endTypes = {
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  cancelled: 'response.incomplete',
  failed: 'response.failed',
} as const

/** The options of a stream of a response. */
interface ResponseFormOptions {
  readonly request: ResponseRequest
  /** The client has everything up to this entry from earlier responses. */
  readonly after?: number | undefined
  /** The `sequence_number` of the last event that the client has; by default it has none. */
  readonly startingAfter?: number | undefined
}

/** How a stream of response events begins before its run. */
export const lateResponse: LateForm = {
  transport: openAiTransport,
  refusal({ message, code }) {
    const event = { type: 'error', code, message, param: null, sequence_number: 0 }
    return [Buffer.from(encodeSse({ event: event.type, data: JSON.stringify(event) }))]
  },
}

/** The answer as a stream of response events. It ends where the run waits for calls of the client, and stays open while it waits for approvals. */
export function responseForm(run: Run, { request, after, startingAfter = -1 }: ResponseFormOptions): RunForm {
  const projection = new ResponseProjection(run, { request, after })
  return {
    transport: openAiTransport,
    // The numbers of the events count from the start of the run.
    readsWholeRun: true,
    encode: entries =>
      piecesOf(
        entries
          .filter(entry => isOfRun(entry, run))
          .flatMap(entry => projection.write(entry))
          .filter(({ sequence_number }) => sequence_number > startingAfter)
          .map(event => encodeSse({ event: event.type, data: JSON.stringify(event) })),
      ),
    end: [],
    waiting: { isVisible: ({ kind }) => kind === 'output', encode: () => [] },
  }
}

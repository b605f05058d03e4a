import type { Chunk, ChunkOf } from '@throughline/protocol/chunk'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { MessageId } from '@throughline/protocol/ids'
import { type Lineage, lineageOf, marked, markedCall, stillMarked } from './author-mark.ts'

type PartStart = ChunkOf<'text-start' | 'reasoning-start'>
type PartDelta = ChunkOf<'text-delta' | 'reasoning-delta'>
type PartEnd = ChunkOf<'text-end' | 'reasoning-end'>

/** A part that its author has not ended yet. */
interface Spoken {
  readonly start: PartStart
  /** How often it stands on the stream: once more whenever somebody else came between. */
  readonly times: number
}

/** What must be remembered between two entries of a run whose sub-agents speak inside the answer. */
export interface InlineState {
  readonly answerId: MessageId
  /** The sub-agents at work. */
  readonly children: ReadonlyMap<string, Lineage>
  readonly spoken: ReadonlyMap<string, Spoken>
  /** The one part that is open on the stream. */
  readonly open: OpenPart | undefined
  /** Calls whose input is on its way: their parts are there already. */
  readonly inputs: ReadonlySet<string>
}

interface OpenPart {
  readonly key: string
  readonly messageId: MessageId
  readonly type: 'text' | 'reasoning'
  /** On the stream. */
  readonly id: string
}

export interface Inlined {
  readonly state: InlineState
  readonly chunks: readonly Chunk[]
}

export function beginInline(answerId: MessageId): InlineState {
  return { answerId, children: new Map(), spoken: new Map(), open: undefined, inputs: new Set() }
}

/**
 * Turns one entry of a run into chunks of one message, in which all agents' parts stand in the order in which they
 * came. Pure. Where another agent comes between, text ends and goes on in a new part. A run without sub-agents stays
 * as it is.
 */
export function projectInline(before: InlineState, entry: Entry): Inlined {
  const writer = new InlineWriter(before)
  writer.write(entry)
  return { state: writer.state, chunks: writer.chunks }
}

interface Author {
  readonly messageId: MessageId
  /** Only a sub-agent's. */
  readonly lineage: Lineage | undefined
}

class InlineWriter {
  state: InlineState
  readonly chunks: Chunk[] = []

  constructor(state: InlineState) {
    this.state = state
  }

  write({ messageId, chunk }: Entry): void {
    const { answerId, children } = this.state
    if (messageId !== answerId) return this.#writeChild(messageId, chunk)
    // Readers look for a call in the newest step: as long as sub-agents have calls open, there is no other step.
    if (isStep(chunk) && children.size > 0) return
    this.#write({ messageId, lineage: undefined }, chunk)
  }

  #writeChild(messageId: MessageId, chunk: Chunk): void {
    if (chunk.type === 'start') return this.#arrive(lineageOf(messageId, chunk.messageMetadata))
    if (isEndChunk(chunk)) return this.#leave(messageId)
    const lineage = this.state.children.get(messageId)
    // How a sub-agent's message stands is the call's to tell; it has no steps inside another's.
    if (lineage === undefined || isStep(chunk) || chunk.type === 'message-metadata') return
    this.#write({ messageId, lineage }, chunk)
  }

  #write(author: Author, chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#begin(author, chunk)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#continue(author, chunk)
      case 'text-end':
      case 'reasoning-end':
        return this.#end(author, chunk)
      case 'tool-input-start':
        this.#interrupt(author)
        this.#set({ inputs: new Set(this.state.inputs).add(chunk.toolCallId) })
        return this.#push(markedCall(chunk, author.lineage))
      case 'tool-input-available':
      case 'tool-input-error':
        if (!this.state.inputs.has(chunk.toolCallId)) this.#interrupt(author)
        this.#set({ inputs: without(this.state.inputs, chunk.toolCallId) })
        return this.#push(markedCall(chunk, author.lineage))
      case 'tool-output-error':
        // Its input may have been cut off.
        this.#set({ inputs: without(this.state.inputs, chunk.toolCallId) })
        return this.#push(chunk)
      case 'source-url':
      case 'source-document':
      case 'file':
      case 'reasoning-file':
      case 'custom':
        this.#interrupt(author)
        return this.#push(marked(chunk, author.lineage))
      case 'finish':
      case 'abort':
      case 'error':
        this.#interrupt(author)
        return this.#push(chunk)
      default:
        return this.#push(isData(chunk) ? this.#data(author, chunk) : chunk)
    }
  }

  #arrive(lineage: Lineage): void {
    this.#set({ children: new Map(this.state.children).set(lineage.messageId, lineage) })
  }

  #leave(messageId: MessageId): void {
    this.#set({ children: omit(this.state.children, messageId) })
  }

  // The master's part begins at once, so that its own stream stays as it is; a sub-agent's with its first words, since
  // another one may speak before they come.
  #begin(author: Author, start: PartStart): void {
    const key = keyOf(author, start)
    this.#set({ spoken: new Map(this.state.spoken).set(key, { start, times: 0 }) })
    if (author.lineage === undefined) this.#open(author, key)
  }

  #continue(author: Author, chunk: PartDelta): void {
    const key = keyOf(author, chunk)
    if (this.state.open?.key !== key) this.#open(author, key)
    const { open } = this.state
    if (open?.key === key) this.#push(stillMarked({ ...chunk, id: open.id }, author.lineage))
  }

  #end(author: Author, chunk: PartEnd): void {
    const key = keyOf(author, chunk)
    const { open } = this.state
    // What another has ended already can take no more: the last piece of news about it is lost with it.
    if (open?.key === key) this.#push(stillMarked({ ...chunk, id: open.id }, author.lineage))
    this.#set({
      spoken: omit(this.state.spoken, key),
      open: open?.key === key ? undefined : open,
    })
  }

  #open(author: Author, key: string): void {
    const spoken = this.state.spoken.get(key)
    if (spoken === undefined) return
    this.#close()
    const { start } = spoken
    const times = spoken.times + 1
    const own = author.lineage === undefined ? start.id : `${author.messageId}:${start.id}`
    const id = times === 1 ? own : `${own}:${times}`
    this.#set({
      spoken: new Map(this.state.spoken).set(key, { start, times }),
      open: {
        key,
        id,
        messageId: author.messageId,
        type: start.type === 'text-start' ? 'text' : 'reasoning',
      },
    })
    this.#push(marked({ ...start, id }, author.lineage))
  }

  /** Ends what another is saying: what comes now stands after it, and what it says next after that. */
  #interrupt({ messageId }: Author): void {
    if (this.state.open?.messageId !== messageId) this.#close()
  }

  #close(): void {
    const { open } = this.state
    if (open === undefined) return
    this.#set({ open: undefined })
    this.#push({ type: `${open.type}-end`, id: open.id })
  }

  /** A part of its own, unless it only passes by or tells how a call goes, next to the call's part. */
  #data(author: Author, chunk: DataChunk): Chunk {
    if (chunk.transient !== true && chunk.type !== 'data-step') this.#interrupt(author)
    if (author.lineage === undefined || chunk.id === undefined) return chunk
    return { ...chunk, id: `${author.messageId}:${chunk.id}` }
  }

  #set(change: Partial<InlineState>): void {
    this.state = { ...this.state, ...change }
  }

  #push(chunk: Chunk): void {
    this.chunks.push(chunk)
  }
}

type DataChunk = Extract<Chunk, { type: `data-${string}` }>

function keyOf({ messageId }: Author, { type, id }: PartStart | PartDelta | PartEnd): string {
  return `${messageId} ${type.startsWith('text') ? 'text' : 'reasoning'} ${id}`
}

function isStep({ type }: Chunk): boolean {
  return type === 'start-step' || type === 'finish-step' || type === 'reset-step'
}

function isData(chunk: Chunk): chunk is DataChunk {
  return chunk.type.startsWith('data-')
}

function omit<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

function without(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  if (!set.has(value)) return set
  const rest = new Set(set)
  rest.delete(value)
  return rest
}

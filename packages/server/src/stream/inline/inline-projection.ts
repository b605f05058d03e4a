import {
  type Chunk,
  type ChunkOf,
  type Entry,
  emptyChat,
  findMessage,
  fold,
  isEndChunk,
  type Message,
  type MessageId,
  messageOf,
  withoutStepUsage,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { type ChunkFormOptions, chunkStream, chunksAtWait, visibleIn } from '../chunks/chunk-stream.ts'
import { withVersionNote } from '../chunks/encode-chunks.ts'
import { encodeProjected } from '../encode-projected.ts'
import type { DirectForm, Projection } from '../run-form.ts'
import { isOfRun, isRunEnd } from '../run-pages.ts'
import { type AuthorMark, authorMark, marked, markedCall, stillMarked } from './author-mark.ts'

type PartStart = ChunkOf<'text-start' | 'reasoning-start'>
type PartDelta = ChunkOf<'text-delta' | 'reasoning-delta'>
type PartEnd = ChunkOf<'text-end' | 'reasoning-end'>
type DataChunk = Extract<Chunk, { type: `data-${string}` }>

/** A text or reasoning part that its author has not ended yet. */
interface UnendedPart {
  readonly start: PartStart
  /** How many parts it has become on the stream: one more each time that another agent interrupts it. */
  readonly count: number
}

interface OpenPart {
  readonly key: string
  readonly messageId: MessageId
  readonly type: 'text' | 'reasoning'
  /** Its id on the stream. */
  readonly id: string
}

interface Author {
  readonly messageId: MessageId
  /** Only of a sub-agent. */
  readonly mark: AuthorMark | undefined
}

/**
 * Turns a run into the chunks of one message. The parts of all agents are in it, in the order in which they were written.
 * Where another agent interrupts a text, the text ends, and goes on later in a new part. A run without sub-agents stays
 * as it is.
 */
export class InlineProjection implements Projection<Chunk> {
  readonly #answerId: MessageId
  /** The marks of the sub-agents at work, by the ids of their messages. */
  readonly #subAgents = new Map<string, AuthorMark>()
  readonly #unended = new Map<string, UnendedPart>()
  /** Calls whose input is still being written. Their parts are on the stream already. */
  readonly #inputs = new Set<string>()
  /** At most one text or reasoning part is open on the stream. */
  #open: OpenPart | undefined
  #chunks: Chunk[] = []

  constructor(run: Pick<Run, 'answerId'>) {
    this.#answerId = run.answerId
  }

  write({ messageId, chunk }: Entry): readonly Chunk[] {
    this.#chunks = []
    if (messageId !== this.#answerId) this.#writeSubAgent(messageId, chunk)
    // Readers look for a call in the newest step only. So no new step may begin while sub-agents have open calls.
    else if (!isStep(chunk) || this.#subAgents.size === 0) this.#write({ messageId, mark: undefined }, chunk)
    return this.#chunks
  }

  #writeSubAgent(messageId: MessageId, chunk: Chunk): void {
    if (chunk.type === 'start') {
      this.#subAgents.set(messageId, authorMark(messageId, chunk.messageMetadata))
      return
    }
    if (isEndChunk(chunk)) {
      this.#subAgents.delete(messageId)
      return
    }
    const mark = this.#subAgents.get(messageId)
    // Steps and metadata belong to a message, and a sub-agent has no message here.
    if (mark === undefined || isStep(chunk) || chunk.type === 'message-metadata') return
    this.#write({ messageId, mark }, chunk)
  }

  #write(author: Author, chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#beginPart(author, chunk)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#continuePart(author, chunk)
      case 'text-end':
      case 'reasoning-end':
        return this.#endPart(author, chunk)
      case 'tool-input-start':
        this.#interruptOthers(author)
        this.#inputs.add(chunk.toolCallId)
        return this.#push(markedCall(chunk, author.mark))
      case 'tool-input-available':
      case 'tool-input-error':
        if (!this.#inputs.delete(chunk.toolCallId)) this.#interruptOthers(author)
        return this.#push(markedCall(chunk, author.mark))
      case 'tool-output-error':
        // The call may have failed before its input was complete.
        this.#inputs.delete(chunk.toolCallId)
        return this.#push(chunk)
      case 'source-url':
      case 'source-document':
      case 'file':
      case 'reasoning-file':
      case 'custom':
        this.#interruptOthers(author)
        return this.#push(marked(chunk, author.mark))
      case 'finish':
      case 'abort':
      case 'error':
        this.#interruptOthers(author)
        return this.#push(chunk)
      default:
        return isData(chunk) ? this.#writeData(author, chunk) : this.#push(withoutStepUsage(chunk))
    }
  }

  // A part of the master begins at once, so that the master's own chunks stay as they are. A part of a sub-agent begins
  // with its first words, because another agent may write before they come.
  #beginPart(author: Author, start: PartStart): void {
    const key = partKey(author, start)
    this.#unended.set(key, { start, count: 0 })
    if (author.mark === undefined) this.#openPart(author, key)
  }

  #continuePart(author: Author, chunk: PartDelta): void {
    const key = partKey(author, chunk)
    if (this.#open?.key !== key) this.#openPart(author, key)
    if (this.#open?.key === key) this.#push(stillMarked({ ...chunk, id: this.#open.id }, author.mark))
  }

  #endPart(author: Author, chunk: PartEnd): void {
    const key = partKey(author, chunk)
    this.#unended.delete(key)
    // A part that was interrupted has ended on the stream already. Metadata on this chunk is lost then.
    if (this.#open?.key !== key) return
    this.#push(stillMarked({ ...chunk, id: this.#open.id }, author.mark))
    this.#open = undefined
  }

  #openPart({ messageId, mark }: Author, key: string): void {
    const part = this.#unended.get(key)
    if (part === undefined) return
    this.#closePart()
    const { start } = part
    const count = part.count + 1
    const ownId = mark === undefined ? start.id : `${messageId}:${start.id}`
    const id = count === 1 ? ownId : `${ownId}:${count}`
    this.#unended.set(key, { start, count })
    this.#open = { key, id, messageId, type: start.type === 'text-start' ? 'text' : 'reasoning' }
    this.#push(marked({ ...start, id }, mark))
  }

  /** Ends the open part if it is another agent's: what this agent writes now comes after it. */
  #interruptOthers({ messageId }: Author): void {
    if (this.#open?.messageId !== messageId) this.#closePart()
  }

  #closePart(): void {
    if (this.#open === undefined) return
    const { type, id } = this.#open
    this.#open = undefined
    this.#push({ type: `${type}-end`, id })
  }

  #writeData(author: Author, chunk: DataChunk): void {
    // Transient data makes no part. A step tells about a call, and stands beside the call's part.
    if (chunk.transient !== true && chunk.type !== 'data-step') this.#interruptOthers(author)
    const hasOwnId = author.mark === undefined || chunk.id === undefined
    this.#push(hasOwnId ? chunk : { ...chunk, id: `${author.messageId}:${chunk.id}` })
  }

  #push(chunk: Chunk): void {
    this.#chunks.push(chunk)
  }
}

function partKey({ messageId }: Author, { type, id }: PartStart | PartDelta | PartEnd): string {
  return `${messageId} ${type.startsWith('text') ? 'text' : 'reasoning'} ${id}`
}

function isStep({ type }: Chunk): boolean {
  return type === 'start-step' || type === 'finish-step' || type === 'reset-step'
}

function isData(chunk: Chunk): chunk is DataChunk {
  return chunk.type.startsWith('data-')
}

/** The chunks of a run with its sub-agents' parts in the answer. */
export function inlineForm(
  run: Run,
  { seen, hasVersionNote = false, ...options }: ChunkFormOptions,
): DirectForm {
  const inline = new InlineProjection(run)
  return {
    ...chunkStream(run, options),
    readsWholeRun: true,
    encode: encodeProjected(run, hasVersionNote ? withVersionNote(inline) : inline, seen),
    waiting: { isVisible: visibleIn(run, 'inline'), encode: () => chunksAtWait() },
  }
}

/**
 * Returns a run's answer with its sub-agents' parts in it: the message that a reader of the inline form has after these
 * entries. `undefined` when the answer has not begun in them.
 *
 * It needs the entries, not the saved messages: only the log knows in which order the agents wrote their parts.
 */
export async function inlineMessage(
  run: Pick<Run, 'id' | 'answerId' | 'kind'>,
  pages: AsyncIterable<readonly Entry[]> | Iterable<readonly Entry[]>,
): Promise<Message | undefined> {
  const projection = new InlineProjection(run)
  let chat = emptyChat()
  for await (const page of pages) {
    for (const entry of page.filter(each => isOfRun(each, run))) {
      for (const chunk of projection.write(entry))
        chat = fold(chat, { seq: chat.seq + 1, runId: run.id, messageId: run.answerId, chunk })
    }
    if (page.some(entry => isRunEnd(entry, run))) break
  }
  const record = findMessage(chat, run.answerId)
  return record && messageOf(record)
}

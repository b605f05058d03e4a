import { type Chunk, type Entry, isEndChunk, type StepUsage, stepUsageOf } from '@throughline/protocol'
import { type Author, authorsIn } from '../entries/authors.ts'

/** What happened when, with one lane for each agent. */
export interface Timeline {
  readonly from: number
  readonly to: number
  readonly lanes: readonly Lane[]
}

/** Returns what the agents of a log did, and when. Two messages of one agent that overlap are on two lanes. */
export function timelineOf(entries: readonly Entry[]): Timeline {
  const authors = authorsIn(entries)
  const delegated = new Set(
    [...authors.values()].flatMap(({ parent }) =>
      parent ? [callKey(parent.messageId, parent.toolCallId)] : [],
    ),
  )
  const clock = new Clock()
  const lanes: LaneDraft[] = []
  const messages = new Map<string, MessageSpans>()
  for (const entry of entries) {
    const at = clock.read(entry)
    const author = authors.get(entry.messageId)
    if (author?.role !== 'agent') continue
    let message = messages.get(entry.messageId)
    if (message === undefined) {
      message = new MessageSpans(author, laneOf(lanes, author), delegated)
      messages.set(entry.messageId, message)
    }
    message.read(entry, at)
  }
  const to = clock.now
  for (const message of messages.values()) message.end(to, true)
  return { from: clock.first ?? 0, to, lanes }
}

/** Reads times that never go back: the clocks of several writers can differ. */
class Clock {
  first: number | undefined
  now = 0

  read({ at }: Entry): number {
    this.first ??= at
    this.now = Math.max(this.now, at)
    return this.now
  }
}

type OpenSpan = Pick<Span, 'kind' | 'label' | 'from' | 'seq' | 'usage'>

/** Collects what one message did, and puts it on its lane. */
class MessageSpans {
  readonly #author: Author
  readonly #lane: LaneDraft
  readonly #delegated: ReadonlySet<string>
  /** The tool calls that have not ended yet, by their ids. */
  readonly #calls = new Map<string, OpenSpan>()
  /** The approvals that nobody has decided on yet, by their ids. */
  readonly #waits = new Map<string, OpenSpan & { readonly toolCallId: string }>()
  readonly #toolNames = new Map<string, string>()
  #step = 0
  #model: (OpenSpan & { readonly to: number }) | undefined
  #hasEnded = false

  constructor(author: Author, lane: LaneDraft, delegated: ReadonlySet<string>) {
    this.#author = author
    this.#lane = lane
    this.#delegated = delegated
  }

  read({ chunk, seq }: Entry, at: number): void {
    if (isEndChunk(chunk)) return this.end(at, false)
    if (chunk.type === 'start-step') {
      this.#endModel(false)
      this.#step += 1
      this.#model = { kind: 'model', label: String(this.#step), from: at, to: at, seq }
    }
    if (isWritten(chunk) && this.#model !== undefined) this.#model = { ...this.#model, to: at }
    if (chunk.type === 'finish-step') this.#endStep(chunk)
    this.#readTool(chunk, { at, seq })
  }

  /** Ends everything that has not ended. `isCut`: because the log ends, not because the message does. */
  end(at: number, isCut: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = !isCut
    this.#lane.isFree = !isCut
    if (isCut && this.#calls.size === 0 && this.#model !== undefined) this.#model = { ...this.#model, to: at }
    this.#endModel(isCut)
    for (const open of [...this.#calls.values(), ...this.#waits.values()]) this.#add(open, at, isCut)
    this.#calls.clear()
    this.#waits.clear()
  }

  #readTool(chunk: Chunk, { at, seq }: { readonly at: number; readonly seq: number }): void {
    if (chunk.type === 'tool-approval-response') return this.#close(this.#waits, chunk.approvalId, at)
    if (!('toolCallId' in chunk)) return
    const { toolCallId: id } = chunk
    if ('toolName' in chunk) this.#toolNames.set(id, chunk.toolName)
    const label = this.#toolNames.get(id) ?? ''
    switch (chunk.type) {
      case 'tool-input-available': {
        const isSubAgent = this.#delegated.has(callKey(this.#author.messageId, id))
        this.#calls.set(id, { kind: isSubAgent ? 'sub-agent' : 'tool', label, from: at, seq })
        return
      }
      case 'tool-approval-request':
        this.#waits.set(chunk.approvalId, { kind: 'wait', label, from: at, seq, toolCallId: id })
        return
      case 'tool-output-available':
        if (chunk.preliminary !== true) this.#endCall(id, at)
        return
      case 'tool-output-error':
      case 'tool-output-denied':
        return this.#endCall(id, at)
      default:
        return
    }
  }

  #endCall(id: string, at: number): void {
    for (const [approvalId, { toolCallId }] of this.#waits)
      if (toolCallId === id) this.#close(this.#waits, approvalId, at)
    this.#close(this.#calls, id, at)
  }

  #close<Each extends OpenSpan>(open: Map<string, Each>, id: string, at: number): void {
    const span = open.get(id)
    open.delete(id)
    if (span !== undefined) this.#add(span, at, false)
  }

  #endStep(chunk: Chunk): void {
    if (this.#model !== undefined) this.#model = { ...this.#model, usage: stepUsageOf(chunk) }
    this.#endModel(false)
  }

  #endModel(isOpen: boolean): void {
    const model = this.#model
    this.#model = undefined
    if (model !== undefined) this.#add(model, model.to, isOpen)
  }

  #add({ kind, label, from, seq, usage }: OpenSpan, to: number, isOpen: boolean): void {
    this.#lane.spans.push({ kind, label, from, to, isOpen, seq, ...(usage && { usage }) })
  }
}

/** Returns whether the model has written this chunk, and not a tool. */
function isWritten({ type }: Chunk): boolean {
  return (
    type.startsWith('text-') ||
    type.startsWith('reasoning-') ||
    type.startsWith('tool-input-') ||
    type.startsWith('source-') ||
    type === 'file'
  )
}

function callKey(messageId: string, toolCallId: string): string {
  return `${messageId} ${toolCallId}`
}

/** `model`: the model writes. `tool`: a tool works. `sub-agent`: another agent works. `wait`: a person has to decide. */
export type SpanKind = 'model' | 'tool' | 'sub-agent' | 'wait'

/** Something that took time. Times are milliseconds since 1970, as the entries have them. */
export interface Span {
  readonly kind: SpanKind
  /** The name of the tool; the number of the step for a model call. */
  readonly label: string
  readonly from: number
  readonly to: number
  /** Whether it had not ended when the log ended. */
  readonly isOpen: boolean
  /** The position of its first entry. */
  readonly seq: number
  /** Only for a model call that has ended: what it used, if the log says so. */
  readonly usage?: StepUsage | undefined
}

/** The line of one agent in the picture. */
export interface Lane {
  readonly agentKey: string
  readonly name: string
  /** How many agents are above it. */
  readonly depth: number
  /** In the order in which they ended. */
  readonly spans: readonly Span[]
}

/** A lane while the log is read. */
interface LaneDraft extends Lane {
  readonly spans: Span[]
  /** Whether the last message on this lane has ended. Then the next message of the same agent is put here. */
  isFree: boolean
}

/** Returns a lane of the author's agent that is free; a new one below the agent's others when there is none. */
function laneOf(lanes: LaneDraft[], { agentKey, name, depth }: Author): LaneDraft {
  const own = lanes.filter(lane => lane.agentKey === agentKey)
  const free = own.find(({ isFree }) => isFree)
  if (free !== undefined) {
    free.isFree = false
    return free
  }
  const lane: LaneDraft = { agentKey, name, depth, spans: [], isFree: false }
  const last = own.at(-1)
  lanes.splice(last === undefined ? lanes.length : lanes.indexOf(last) + 1, 0, lane)
  return lane
}

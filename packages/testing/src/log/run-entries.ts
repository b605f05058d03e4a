import type { AgentEvent, MessageEnd } from '@throughline/agents/agent-event'
import { noSegments, type Segments, segment } from '@throughline/agents/message/segment'
import { noToolCalls } from '@throughline/agents/message/segment-tool'
import { createSteps, type Steps } from '@throughline/agents/message/steps'
import type { Chunk } from '@throughline/protocol/chunk'
import type { Entry } from '@throughline/protocol/entry'
import type { MessageMetadata } from '@throughline/protocol/metadata'
import fc from 'fast-check'
import { agentEvents, messageEnd } from '../agent/agent-events.ts'
import { messageIdOf, runIdOf } from './entries-of.ts'

// A run as its log has it, whatever its agents do, and whoever of them it is that does it next.

type Act = 'event' | 'delegate' | 'end'

interface Move {
  readonly act: Act
  /** Chooses among those who are at work. */
  readonly pick: number
}

const move: fc.Arbitrary<Move> = fc.record({
  act: fc.constantFrom<Act[]>('event', 'event', 'event', 'event', 'event', 'delegate', 'end'),
  pick: fc.nat(5),
})

/** The answer's id is `answer`, the run's `run`; sub-agents' messages are `child-1` and so on. */
export const runEntries: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(fc.array(move, { maxLength: 60, size: 'max' }), agentEvents, fc.array(messageEnd), messageEnd)
  .map(([moves, events, childEnds, end]) => {
    const run = new PlayedRun(events, childEnds)
    for (const each of moves) run.play(each)
    return run.finish(end)
  })

interface Author {
  readonly id: string
  readonly depth: number
  readonly steps: Steps
  segments: Segments
  readonly parent?: { readonly author: Author; readonly toolCallId: string }
}

class PlayedRun {
  readonly #entries: Entry[] = []
  readonly #events: AgentEvent[]
  readonly #ends: MessageEnd[]
  readonly #atWork: Author[] = []
  #children = 0
  #steps = 0

  constructor(events: readonly AgentEvent[], ends: readonly MessageEnd[]) {
    this.#events = [...events]
    this.#ends = [...ends]
    this.#begin({ id: 'answer', depth: 0, steps: this.#newSteps(), segments: noSegments })
  }

  play({ act, pick }: Move): void {
    const author = this.#atWork[pick % this.#atWork.length]
    if (author === undefined) return
    if (act === 'delegate') return this.#delegate(author)
    if (act === 'end') return this.#end(author, this.#ends.shift() ?? { type: 'end', status: 'finished' })
    const event = this.#events.shift()
    if (event !== undefined) this.#write(author, event)
  }

  finish(end: MessageEnd): readonly Entry[] {
    const [master, ...children] = this.#atWork
    for (const child of children.toReversed()) this.#end(child, end)
    if (master !== undefined) this.#write(master, end)
    return this.#entries
  }

  #delegate(author: Author): void {
    this.#children += 1
    const number = this.#children
    const call = callOf(number)
    this.#write(author, { type: 'tool-call', ...call })
    const toolCallId = author.segments.calls.known.get(call.toolCallId)?.toolCallId ?? call.toolCallId
    this.#begin({
      id: `child-${number}`,
      depth: author.depth + 1,
      steps: this.#newSteps(),
      segments: { ...noSegments, calls: { ...noToolCalls, prefix: `${number}:` } },
      parent: { author, toolCallId },
    })
  }

  /** Only of those for whom nobody is at work any more. */
  #end(author: Author, end: MessageEnd): void {
    const { parent } = author
    if (parent === undefined || this.#atWork.some(each => each.parent?.author === author)) return
    this.#write(author, end)
    this.#atWork.splice(this.#atWork.indexOf(author), 1)
    const call = callOf(Number(author.id.split('-')[1]))
    this.#write(parent.author, { type: 'tool-result', ...call, output: { ok: true, messageId: author.id } })
  }

  #begin(author: Author): void {
    this.#atWork.push(author)
    this.#emit(author, { type: 'start', messageId: author.id, messageMetadata: metadataOf(author) })
  }

  #write(author: Author, event: AgentEvent | MessageEnd): void {
    const { segments, chunks } = segment(author.segments, event)
    author.segments = segments
    for (const chunk of author.steps.around(chunks)) this.#emit(author, chunk)
  }

  #emit({ id }: Author, chunk: Chunk): void {
    const seq = this.#entries.length + 1
    this.#entries.push({ seq, at: seq, runId: runIdOf('run'), messageId: messageIdOf(id), chunk })
  }

  #newSteps(): Steps {
    const nextStep = () => {
      this.#steps += 1
      return this.#steps
    }
    return createSteps({ now: () => new Date(0), nextStep })
  }
}

function callOf(number: number) {
  return { toolCallId: `ask-${number}`, toolName: 'subAgent', input: { name: `agent-${number}` } }
}

function metadataOf({ id, depth, parent }: Author): MessageMetadata {
  const name = id === 'answer' ? 'master' : `agent-${id.split('-')[1]}`
  const kind = depth === 0 ? 'master' : 'sub'
  return {
    status: 'streaming',
    senderName: `The ${name}`,
    agent: { kind, name, displayName: `The ${name}`, depth, path: [name] },
    ...(parent && { parent: { messageId: parent.author.id, toolCallId: parent.toolCallId } }),
  }
}

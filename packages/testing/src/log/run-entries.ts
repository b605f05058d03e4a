import type { AgentEvent, MessageEnd } from '@throughline/agents'
import { segment } from '@throughline/agents/internal'
import { createSteps, noSegments, noToolCalls, type Segments, type Steps } from '@throughline/agents/testing'
import type { Chunk, Entry, MessageMetadata } from '@throughline/protocol'
import fc from 'fast-check'
import { agentEvents, messageEnd } from '../agent/agent-events.ts'
import { messageIdOf, runIdOf } from './entries-of.ts'

// Random logs of one run: any agent of the run may act next, and may do anything that an agent can do.

type Act = 'event' | 'delegate' | 'end'

interface Move {
  readonly act: Act
  /** Chooses one of the agents that are at work. */
  readonly pick: number
}

const move: fc.Arbitrary<Move> = fc.record({
  act: fc.constantFrom<Act[]>('event', 'event', 'event', 'event', 'event', 'delegate', 'end'),
  pick: fc.nat(5),
})

/** The id of the answer is `answer`, that of the run is `run`. The messages of sub-agents are `sub-agent-1` and so on. */
export const runEntries: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(fc.array(move, { maxLength: 60, size: 'max' }), agentEvents, fc.array(messageEnd), messageEnd)
  .map(([moves, events, subAgentEnds, end]) => {
    const run = new PlayedRun(events, subAgentEnds)
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
  #subAgents = 0
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
    const [master, ...subAgents] = this.#atWork
    for (const subAgent of subAgents.toReversed()) this.#end(subAgent, end)
    if (master !== undefined) this.#write(master, end)
    return this.#entries
  }

  #delegate(author: Author): void {
    this.#subAgents += 1
    const number = this.#subAgents
    const call = callOf(number)
    this.#write(author, { type: 'tool-call', ...call })
    const toolCallId = author.segments.calls.known.get(call.toolCallId)?.toolCallId ?? call.toolCallId
    this.#begin({
      id: `sub-agent-${number}`,
      depth: author.depth + 1,
      steps: this.#newSteps(),
      segments: { ...noSegments, calls: { ...noToolCalls, prefix: `${number}:` } },
      parent: { author, toolCallId },
    })
  }

  /** Ends the message of a sub-agent, unless one of its own sub-agents is still at work. */
  #end(author: Author, end: MessageEnd): void {
    const { parent } = author
    if (parent === undefined || this.#atWork.some(each => each.parent?.author === author)) return
    this.#write(author, end)
    this.#atWork.splice(this.#atWork.indexOf(author), 1)
    const call = callOf(Number(author.id.split('-')[2]))
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

import { stepDataSchema } from '@throughline/agents/internal'
import { type ChunkOf, type Entry, isEndChunk, type MessageMetadata } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../bytes/encoded-pages.ts'
import { plainEvent, type SeenEvents, waitEvents } from '../bytes/sse-events.ts'
import { encodeProjected } from '../encode-projected.ts'
import type { LateForm, Projection, RunForm } from '../run-form.ts'
import type { AwaitedCall } from '../run-waits.ts'
import { AgUiCalls, custom } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiEntry, AgUiEvent } from './ag-ui-event.ts'
import { agUiEnd, runStarted, subAgentStarted } from './ag-ui-lifecycle.ts'
import type { AgUiRequest } from './ag-ui-request.ts'
import { type AtWork, resumed, suspended } from './ag-ui-wait.ts'

/** What a client has of the events of an AG-UI run. */
export interface SeenAgUi extends SeenEvents {
  /** How many of the events with which the stream ended where its run waits for approvals. */
  readonly atWait?: number
}

/** How a stream of AG-UI events begins before its run. */
export const lateAgUi: LateForm = {
  refusal: ({ message, code }) => [plainEvent({ type: 'RUN_ERROR', message, code })],
}

/**
 * A run as AG-UI events. Each event has an id, and a client that comes back with the last one gets exactly the events
 * after it.
 */
export function agUiForm(run: Run, request: AgUiRequest, { atWait = 0, ...seen }: SeenAgUi): RunForm {
  const projection = new AgUiProjection(request)
  const { epoch } = seen.after
  return {
    readsWholeRun: true,
    encode: encodeProjected(run, projection, seen),
    end: [],
    waiting: {
      isVisible: ({ messageId }) => request.subAgents !== 'hidden' || messageId === run.answerId,
      encode: approvals =>
        piecesOf(waitEvents({ epoch, seq: projection.lastSeq }, projection.suspend(approvals), atWait)),
    },
  }
}

/** Turns a run into AG-UI events. */
class AgUiProjection implements Projection<AgUiEvent> {
  readonly #request: AgUiRequest
  readonly #calls: AgUiCalls
  /** The ids of open text and reasoning messages. */
  readonly #open = new Set<string>()
  /** The metadata of the agents at work, by their names on the stream: the ids of their messages. */
  readonly #authors = new Map<string, MessageMetadata>()
  /** The authors of the open steps, by the names of the steps. */
  readonly #steps = new Map<string, string>()
  /** When the last entry was written. */
  #at = 0
  #lastSeq = 0

  constructor(request: AgUiRequest) {
    this.#request = request
    this.#calls = new AgUiCalls(request.answered)
  }

  /** The number of the last entry that was written; 0 for none. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  write(entry: Entry): readonly AgUiEvent[] {
    const { resumesAfter = 0 } = this.#request
    const events = this.#eventsOf(entry)
    this.#at = entry.at
    this.#lastSeq = entry.seq
    if (entry.seq > resumesAfter) return events
    return entry.seq === resumesAfter ? resumed(this.#atWork()) : []
  }

  /** Returns the events with which a stream ends while its run waits for these calls. */
  suspend(calls: readonly AwaitedCall[]): readonly AgUiEvent[] {
    return suspended(this.#atWork(), calls)
  }

  #atWork(): AtWork {
    return {
      request: this.#request,
      authors: this.#authors,
      steps: this.#steps,
      calls: this.#calls,
      timestamp: this.#at,
    }
  }

  #eventsOf(entry: Entry): readonly AgUiEvent[] {
    const { answerId, subAgents } = this.#request
    const { messageId, at: timestamp } = entry
    const isMaster = messageId === answerId
    if (isMaster || subAgents === 'separate') {
      const author = isMaster ? {} : { subagentRunId: messageId }
      return this.#write(entry).map(event => ({ ...event, timestamp, ...author }))
    }
    if (subAgents === 'hidden') return []
    // The ids get the id of the answer as a prefix, so that a client that reconnects recognises the messages of this answer.
    const events = this.#write({ ...entry, messageId: `${answerId}:${messageId}` })
    return events.filter(({ type }) => !type.startsWith('SUBAGENT_')).map(event => ({ ...event, timestamp }))
  }

  #write(entry: AgUiEntry): readonly AgUiBody[] {
    const { messageId: author, chunk } = entry
    if (isEndChunk(chunk)) return [this.#end(entry)]
    if (chunk.type.startsWith('tool-')) return this.#calls.write(entry)
    switch (chunk.type) {
      case 'start':
        return this.#begin(author, chunk.messageMetadata)
      case 'message-metadata':
        this.#authors.set(author, { ...this.#authors.get(author), ...chunk.messageMetadata })
        return []
      case 'text-delta':
      case 'reasoning-delta':
        return this.#addText(author, chunk)
      case 'text-end':
      case 'reasoning-end':
        return this.#endText(author, chunk)
      case 'start-step':
        this.#calls.stepBegan(author)
        return []
      case 'text-start':
      case 'reasoning-start':
      case 'finish-step':
      case 'reset-step':
        return []
      case 'data-step':
        return this.#writeStep(entry)
      default:
        return [custom(entry)]
    }
  }

  #begin(author: string, metadata: MessageMetadata = {}): readonly AgUiBody[] {
    const { answerId, snapshot } = this.#request
    this.#authors.set(author, metadata)
    if (author !== answerId) return [subAgentStarted(this.#atWork(), metadata)]
    const started = runStarted(this.#request, metadata)
    return snapshot === undefined ? [started] : [started, { type: 'MESSAGES_SNAPSHOT', messages: snapshot }]
  }

  #end(entry: AgUiEntry): AgUiBody {
    const metadata = this.#authors.get(entry.messageId) ?? {}
    this.#authors.delete(entry.messageId)
    return agUiEnd(this.#request, entry, metadata)
  }

  // A message begins with its first words, so that clients show no empty ones.
  #addText(
    author: string,
    { type, id, delta }: ChunkOf<'text-delta' | 'reasoning-delta'>,
  ): readonly AgUiBody[] {
    if (delta === '') return []
    const messageId = `${author}:${id}`
    const isNew = !this.#open.has(messageId)
    this.#open.add(messageId)
    if (type === 'text-delta') {
      const content: AgUiBody = { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }
      return isNew ? [this.#beginText(author, messageId), content] : [content]
    }
    const content: AgUiBody = { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }
    if (!isNew) return [content]
    this.#calls.reasoningBegan()
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      content,
    ]
  }

  #beginText(author: string, messageId: string): AgUiBody {
    this.#calls.textBegan(author, messageId)
    const name = this.#authors.get(author)?.senderName
    return { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...(name && { name }) }
  }

  #endText(author: string, { type, id }: ChunkOf<'text-end' | 'reasoning-end'>): readonly AgUiBody[] {
    const messageId = `${author}:${id}`
    if (!this.#open.delete(messageId)) return []
    if (type === 'text-end') return [{ type: 'TEXT_MESSAGE_END', messageId }]
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]
  }

  // AG-UI knows steps by their names. Several steps with one title may be open, so the name has the number too.
  #writeStep({ messageId: author, chunk }: AgUiEntry): readonly AgUiBody[] {
    const step = 'data' in chunk ? stepDataSchema.safeParse(chunk.data).data : undefined
    if (step === undefined) return []
    const stepName = `${step.number}. ${step.title}`
    if (step.status !== 'running')
      return this.#steps.delete(stepName) ? [{ type: 'STEP_FINISHED', stepName }] : []
    if (this.#steps.has(stepName)) return []
    this.#steps.set(stepName, author)
    return [{ type: 'STEP_STARTED', stepName }]
  }
}

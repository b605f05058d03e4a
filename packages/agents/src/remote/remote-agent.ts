import { isStepCutAt, isToolPart, type Message, type Part, type ToolPart } from '@throughline/protocol'
import type { Agent, AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import { stepsTaken } from '../ai-sdk/request-messages.ts'
import { isCutInput } from '../ai-sdk/without-lost-items.ts'
import { AgUiReader } from './ag-ui-reader.ts'
import { AiSdkReader } from './ai-sdk-reader.ts'
import type { FormReader, ReaderOptions, RemoteEvent } from './form-reader.ts'
import { OpenAiReader } from './openai-reader.ts'
import { type RemoteService, remoteService } from './remote-service.ts'
import {
  agUiRequestBody,
  aiSdkRequestBody,
  openAiRequestBody,
  type RemoteConversation,
  type RequestBody,
  remoteConversation,
} from './request-bodies.ts'
import { serviceBytes } from './service-bytes.ts'
import { readStream, type SseMessage, sseMessages } from './sse-messages.ts'
import { throughlineMessages } from './throughline-messages.ts'

/** The options of `remoteAgent`. `name`, `url` and `form` are needed. */
export interface RemoteAgentOptions {
  /** Unique, and part of what is saved: letters, digits, `_`, `.`, `:` and `-`. */
  readonly name: string
  /** The name that people read; `name` by default. */
  readonly displayName?: string | undefined
  /** What it can do. People read it, and so do models that choose an agent to delegate to. */
  readonly description?: string | undefined
  /** What a person could ask first. Pages offer these. */
  readonly examples?: readonly string[] | undefined
  /** Where the service takes a question. Private addresses are allowed. */
  readonly url: string
  /** What the service speaks. */
  readonly form: RemoteFormName
  /** Sent with every request. May have secrets: they are in no error and in no log. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** More fields of the request's body, such as `{ model: '…' }`. A field here replaces ours of the same name. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** How long the service may send nothing, in milliseconds, up to 300,000; 120,000 by default. */
  readonly maxSilenceMs?: number | undefined
  /** For `throughline`: how long to try to continue a broken connection, in milliseconds; 15,000 by default. */
  readonly reconnectMs?: number | undefined
}

/**
 * What a service speaks: UI-message chunks of the AI SDK, chat completions of OpenAI, AG-UI, or `/api/chat` of another
 * Throughline.
 */
export type RemoteFormName = 'ai-sdk' | 'openai' | 'ag-ui' | 'throughline'

/**
 * Returns an agent whose answers a service writes. The service runs its own tools, and their calls are shown. When the
 * service breaks off, the answer ends as failed, and the text so far is kept. Throws a `TypeError` when an option cannot
 * work.
 *
 * @public
 */
export function remoteAgent({ form, ...options }: RemoteAgentOptions): Agent {
  const { name, description, examples } = options
  const displayName = options.displayName || name
  const service = remoteService({ ...options, displayName })
  if (!Object.hasOwn(forms, form))
    throw new TypeError(`remoteAgent "${name}": form must be one of ${Object.keys(forms).join(', ')}.`)
  const run = (request: AgentRequest) => runRemote(service, forms[form], request)
  // The run of another Throughline goes on when this process dies, and asking again with the same ids finds it.
  const continues = form === 'throughline' && 'by-following'
  return { name, displayName, description, examples, continues, run }
}

async function* runRemote(
  service: RemoteService,
  { open, createReader }: RemoteForm,
  { messages, answerSoFar, signal, countUsage }: AgentRequest,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { errors, name } = service
  const known = answerSoFar && new KnownEvents(answerSoFar)
  const stream = open(service, remoteConversation(name, messages), signal)
  for await (const read of readStream(stream, createReader({ errors, provider: name }), errors)) {
    for (const event of known?.rest(read) ?? [read]) {
      if (event.type === 'usage') countUsage?.(event.model, event.counts)
      else yield event
    }
  }
}

interface RemoteForm {
  readonly open: (
    service: RemoteService,
    conversation: RemoteConversation,
    signal: AbortSignal,
  ) => AsyncIterable<SseMessage>
  readonly createReader: (options: ReaderOptions) => FormReader
}

const forms: Readonly<Record<RemoteFormName, RemoteForm>> = {
  'ai-sdk': { open: posting(aiSdkRequestBody), createReader: options => new AiSdkReader(options) },
  openai: { open: posting(openAiRequestBody), createReader: options => new OpenAiReader(options) },
  'ag-ui': { open: posting(agUiRequestBody), createReader: options => new AgUiReader(options) },
  throughline: {
    open: throughlineMessages,
    createReader: options => new AiSdkReader({ ...options, isModelText: false }),
  },
}

function posting(bodyOf: (conversation: RemoteConversation) => RequestBody): RemoteForm['open'] {
  return (service, conversation, signal) => {
    const body = { ...bodyOf(conversation), ...service.body }
    const bytes = serviceBytes(service, { method: 'POST', url: service.url, body, signal })
    return sseMessages(bytes, service.errors)
  }
}

/**
 * Leaves out of a stream what an answer has already. The service sends its run from the beginning, in the same order as
 * before. So it is enough to count the characters of text and reasoning, the calls and the steps that are known.
 */
class KnownEvents {
  #textLeft: number
  #reasoningLeft: number
  #filesLeft: number
  #stepsLeft: number
  #stepEndsLeft: number
  /** The calls of the answer whose ids in the stream are not known yet. */
  readonly #callsLeft: ToolPart[]
  /** The calls of the stream; `undefined` for those that the answer does not have. */
  readonly #calls = new Map<string, ToolPart | undefined>()

  constructor(answerSoFar: Message) {
    const { parts } = answerSoFar
    const lengthOf = (type: 'text' | 'reasoning') =>
      parts.reduce((sum, part) => sum + (part.type === type ? part.text.length : 0), 0)
    this.#textLeft = lengthOf('text')
    this.#reasoningLeft = lengthOf('reasoning')
    this.#callsLeft = parts.filter(isToolPart)
    this.#filesLeft = parts.filter(({ type }) => fileTypes.has(type)).length
    // A step that was cut has gone on in another one.
    const goesOn = (part: Part, index: number) => isStepCutAt(part) && parts[index + 1]?.type === 'step-start'
    this.#stepsLeft = stepsTaken(answerSoFar) - parts.filter(goesOn).length
    // A step with open calls goes on. Any other step has been ended here.
    this.#stepEndsLeft = this.#stepsLeft - (this.#callsLeft.some(isOpen) ? 1 : 0)
  }

  /** Returns what is new in an event. */
  rest(event: RemoteEvent): readonly RemoteEvent[] {
    switch (event.type) {
      case 'text-delta': {
        const text = event.text.slice(this.#textLeft)
        this.#textLeft = Math.max(0, this.#textLeft - event.text.length)
        return this.#new(text === '' ? [] : [{ ...event, text }])
      }
      case 'reasoning-delta': {
        const text = event.text.slice(this.#reasoningLeft)
        this.#reasoningLeft = Math.max(0, this.#reasoningLeft - event.text.length)
        return this.#new(text === '' ? [] : [{ ...event, text }])
      }
      case 'source':
      case 'file':
        this.#filesLeft -= 1
        return this.#new(this.#filesLeft >= 0 ? [] : [event])
      case 'step-start':
        this.#stepsLeft -= 1
        return this.#stepsLeft >= 0 ? [] : [event]
      case 'step-end':
        this.#stepEndsLeft -= 1
        return this.#stepEndsLeft >= 0 ? [] : [event]
      default:
        return 'toolCallId' in event ? this.#new(this.#ofCall(event)) : [event]
    }
  }

  #ofCall<Event extends RemoteEvent & { readonly toolCallId: string }>(event: Event): readonly Event[] {
    const { toolCallId } = event
    if (!this.#calls.has(toolCallId)) this.#calls.set(toolCallId, this.#callsLeft.shift())
    const call = this.#calls.get(toolCallId)
    // A call whose input was cut has been closed here. It is shown once more.
    if (call === undefined || isCutInput(call)) return [event]
    const isOutcome = outcomes.has(event.type) && isOpen(call)
    // The ids of a sub-agent's calls are longer here than in the stream.
    return isOutcome ? [{ ...event, toolCallId: call.toolCallId }] : []
  }

  /** The step that was cut has been ended here. What is new of it begins another one. */
  #new(events: readonly RemoteEvent[]): readonly RemoteEvent[] {
    const isOfCutStep = events.length > 0 && this.#stepsLeft === 0 && this.#stepEndsLeft === 1
    if (!isOfCutStep) return events
    this.#stepEndsLeft = 0
    return [{ type: 'step-start' }, ...events]
  }
}

function isOpen({ state, preliminary }: ToolPart): boolean {
  return state === 'input-available' || preliminary === true
}

const outcomes: ReadonlySet<string> = new Set(['tool-progress', 'tool-result', 'tool-error'])
const fileTypes: ReadonlySet<string> = new Set(['file', 'reasoning-file', 'source-url', 'source-document'])

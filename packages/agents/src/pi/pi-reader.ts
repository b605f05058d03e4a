import { isRecord } from '@throughline/protocol'
import { APICallError } from 'ai'
import type {
  AgentEvent,
  FinishReason,
  ProviderMetadata,
  TokenCounts,
  ToolCall,
} from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { fieldsOf, recordsIn, textOrEmpty, type UncheckedFields } from '../values/fields.ts'
import { tokenCounts } from '../values/token-counts.ts'
import type { PiDelta, PiEvent } from './pi-agent.ts'

export interface PiReaderOptions {
  /** Counts what one model call used. */
  readonly countUsage: (model: string, counts: TokenCounts) => void
}

/** Turns the events of one agent of pi into agent events. */
export class PiReader {
  readonly #options: PiReaderOptions
  #text = new ShownOnce()
  /** Which blocks of the open message have been streamed, by their index. */
  #streamed = new Set<number>()
  #hasOpenStep = false
  /** Whether the newest model call has results that no model call has read. */
  #hasUnreadResults = false
  /** The newest message of the model. */
  #last: UncheckedFields = {}

  constructor(options: PiReaderOptions) {
    this.#options = options
  }

  read(event: PiEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'turn_start':
        return [...this.#endStep(), ...this.#beginStep()]
      case 'message_update':
        return this.#readDelta(event.assistantMessageEvent, fieldsOf(event.message))
      case 'message_end':
        return this.#endMessage(fieldsOf(event.message))
      case 'tool_execution_update':
        return [{ type: 'tool-progress', ...callOf(event), output: outputOf(fieldsOf(event.partialResult)) }]
      case 'tool_execution_end':
        return [this.#result(event)]
      case 'turn_end':
        return this.#endStep()
      case 'agent_start':
      case 'agent_end':
      case 'message_start':
      case 'tool_execution_start':
        return []
      default:
        // A newer version of pi may have more events.
        return []
    }
  }

  /** Returns the end of the answer, when the agent has ended. */
  finish(): readonly AgentEvent[] {
    const rest = this.#endStep()
    switch (this.#last['stopReason']) {
      case 'stop':
      // A tool, or a hook of the application, has ended the run. Its limit of steps ends it with results that nobody reads.
      case 'toolUse':
        return [...rest, finish(this.#hasUnreadResults ? 'tool-calls' : 'stop')]
      case 'length':
        return [...rest, finish('length')]
      default:
        return [...rest, { type: 'error', error: errorOf(this.#last) }]
    }
  }

  #beginStep(): readonly AgentEvent[] {
    this.#text = new ShownOnce()
    this.#streamed = new Set()
    this.#hasOpenStep = true
    this.#hasUnreadResults = false
    return [{ type: 'step-start' }]
  }

  #endStep(): readonly AgentEvent[] {
    const rest = this.#pause()
    if (!this.#hasOpenStep) return rest
    this.#hasOpenStep = false
    return [...rest, { type: 'step-end' }]
  }

  #readDelta({ type, contentIndex = 0, delta }: PiDelta, message: UncheckedFields): readonly AgentEvent[] {
    const text = typeof delta === 'string' ? delta : ''
    const block = recordsIn(message['content'])[contentIndex] ?? {}
    if (!type.endsWith('_start')) this.#streamed.add(contentIndex)
    switch (type) {
      case 'text_delta':
        return this.#takeText(text)
      case 'text_end':
        return this.#pause()
      case 'thinking_delta':
        return [...this.#pause(), { type: 'reasoning-delta', text }]
      case 'thinking_end':
        return [{ type: 'reasoning-end', providerMetadata: signed(block['thinkingSignature'], message) }]
      case 'toolcall_start':
        return [...this.#pause(), ...inputStart(block)]
      // Some providers give the id only at the end.
      case 'toolcall_delta':
        return isCall(block) ? [{ type: 'tool-input-delta', toolCallId: block.id, text }] : []
      case 'toolcall_end':
        return toolCall(block, message)
      default:
        return []
    }
  }

  #takeText(text: string): readonly AgentEvent[] {
    return textEvents(this.#text.take(text))
  }

  #pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  /** The end of a message of the model: some providers stream nothing, so what is missing comes from here. */
  #endMessage(message: UncheckedFields): readonly AgentEvent[] {
    if (message['role'] !== 'assistant') return []
    this.#last = message
    const isWhole = message['stopReason'] !== 'error' && message['stopReason'] !== 'aborted'
    const unsaid = isWhole
      ? recordsIn(message['content']).flatMap((block, index) =>
          this.#streamed.has(index) ? [] : this.#readBlock(block, message),
        )
      : []
    const counts = countsOf(message['usage'])
    if (counts !== undefined) this.#options.countUsage(modelOf(message), counts)
    return [...unsaid, ...this.#pause(), { type: 'response-done' }]
  }

  #readBlock(block: UncheckedFields, message: UncheckedFields): readonly AgentEvent[] {
    switch (block['type']) {
      case 'text':
        return [...this.#pause(), ...this.#takeText(textOrEmpty(block['text']))]
      case 'thinking': {
        const providerMetadata = signed(block['thinkingSignature'], message)
        const text = textOrEmpty(block['thinking'])
        return [
          ...this.#pause(),
          { type: 'reasoning-delta', text },
          { type: 'reasoning-end', providerMetadata },
        ]
      }
      case 'toolCall':
        return [...this.#pause(), ...toolCall(block, message)]
      default:
        return []
    }
  }

  #result(event: Extract<PiEvent, { type: 'tool_execution_end' }>): AgentEvent {
    this.#hasUnreadResults = true
    const result = fieldsOf(event.result)
    if (result['terminate'] === true) this.#hasUnreadResults = false
    // A tool may call a model itself. Nobody says which one.
    const counts = countsOf(result['usage'])
    if (counts !== undefined) this.#options.countUsage('unknown', counts)
    const call = callOf(event)
    return event.isError
      ? { type: 'tool-error', ...call, errorText: textOf(result) || 'The tool failed.' }
      : { type: 'tool-result', ...call, output: outputOf(result) }
  }
}

function finish(finishReason: FinishReason): AgentEvent {
  return { type: 'finish', finishReason }
}

/** The call has been written with its input. Here only its id and its name count. */
function callOf({
  toolCallId,
  toolName,
}: {
  readonly toolCallId: string
  readonly toolName: string
}): ToolCall {
  return { toolCallId, toolName, input: undefined }
}

interface CallBlock extends UncheckedFields {
  readonly id: string
  readonly name: string
}

function isCall(block: UncheckedFields): block is CallBlock {
  const { id, name } = block
  return typeof id === 'string' && id !== '' && typeof name === 'string' && name !== ''
}

function inputStart(block: UncheckedFields): readonly AgentEvent[] {
  return isCall(block) ? [{ type: 'tool-input-start', toolCallId: block.id, toolName: block.name }] : []
}

function toolCall(block: UncheckedFields, message: UncheckedFields): readonly AgentEvent[] {
  if (!isCall(block)) return []
  const { id: toolCallId, name: toolName } = block
  const providerMetadata = signed(block['thoughtSignature'], message)
  return [{ type: 'tool-call', toolCallId, toolName, input: block['arguments'] ?? {}, providerMetadata }]
}

/** What a provider has signed goes back to the same model, so its names are kept with it (see pi-messages.ts). */
function signed(signature: unknown, { api, provider, model }: UncheckedFields): ProviderMetadata | undefined {
  if (typeof signature !== 'string' || signature === '') return undefined
  if (typeof api !== 'string' || typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { pi: { signature, api, provider, model } }
}

/** What the model reads is the text of a result. `details` are for people, and are shown if there are any. */
function outputOf(result: UncheckedFields): unknown {
  const { content, details } = result
  const isText = recordsIn(content).every(({ type }) => type === 'text')
  if (!isText) return isEmpty(details) ? { content } : { content, details }
  return isEmpty(details) ? textOf(result) : { content, details }
}

function isEmpty(details: unknown): boolean {
  if (details === undefined || details === null) return true
  return isRecord(details) && Object.keys(details).length === 0
}

function textOf({ content }: UncheckedFields): string {
  return recordsIn(content)
    .map(({ text }) => textOrEmpty(text))
    .join('')
}

function modelOf({ provider, model }: UncheckedFields): string {
  return typeof provider === 'string' && typeof model === 'string' ? `${provider}:${model}` : 'unknown'
}

/** Pi counts the tokens that come from a cache, or go into one, apart from the others. */
function countsOf(usage: unknown): TokenCounts | undefined {
  const { input, output, cacheRead, cacheWrite, totalTokens, reasoning } = fieldsOf(usage)
  const [read, written] = [numberIn(cacheRead), numberIn(cacheWrite)]
  const all = typeof input === 'number' ? input + read + written : input
  const counts = tokenCounts({ input: all, output, total: totalTokens, reasoning, cached: read })
  // Pi gives zeros when the model call has failed.
  return counts !== undefined && counts.totalTokens > 0 ? counts : undefined
}

/**
 * Pi gives the error of a provider as a text, which often begins with the HTTP status. The text is for the log: it may
 * repeat the conversation.
 */
function errorOf({ stopReason, errorMessage }: UncheckedFields): Error {
  const message = textOrEmpty(errorMessage) || `The agent of pi has ended with "${String(stopReason)}".`
  const status = /^\W*([45]\d\d)\b/.exec(message)?.[1]
  if (status === undefined) return new Error(message)
  return new APICallError({ message, url: '', requestBodyValues: {}, statusCode: Number(status) })
}

function numberIn(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

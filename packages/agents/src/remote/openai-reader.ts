import { isRecord } from '@throughline/protocol'
import type { AgentEvent, FinishReason, TokenCounts } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { isText, recordsIn, type UncheckedFields } from '../values/fields.ts'
import type { FormReader, ReaderOptions, RemoteEvent, StreamProgress } from './form-reader.ts'
import { readJson, toolCallFrom } from './read-json.ts'
import { openAiCountsFrom } from './token-counts.ts'

interface StreamedCall {
  readonly toolCallId: string
  readonly toolName: string
  text: string
}

/**
 * Reads a stream of OpenAI's chat completions. A service that runs its tools itself may send several completions in one
 * stream, one after the other: each is a step.
 */
export class OpenAiReader implements FormReader {
  progress: StreamProgress = 'open'
  readonly #options: ReaderOptions
  #text = new ShownOnce()
  /** The calls of this step. */
  #calls: readonly StreamedCall[] = []
  /** The newest call of each index. The stream names calls by their index. */
  #callAt = new Map<number, StreamedCall>()
  /** The calls of this step whose input has come in full. The form has no place for their results. */
  #made: readonly StreamedCall[] = []
  #callCount = 0
  #isInStep = false
  #finishReason: string | undefined
  #hasFailed = false
  #usage: { readonly counts: TokenCounts; readonly model: string } | undefined

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(data: string): readonly RemoteEvent[] {
    if (data === '[DONE]') {
      this.progress = 'done'
      return []
    }
    const { errors, provider } = this.#options
    const value = readJson(data, errors)
    if (isRecord(value['error'])) return this.#fail(value['error'])
    const { choices = [], model } = value
    if (!Array.isArray(choices)) throw errors.unreadable('a chunk needs a valid "choices"')
    const [choice] = choices
    if (choice !== undefined && !isRecord(choice)) throw errors.unreadable('a choice must be an object')
    const events = choice === undefined ? [] : this.#take(choice)
    const counts = openAiCountsFrom(value['usage'])
    if (counts !== undefined)
      this.#usage = { counts, model: `${provider}:${typeof model === 'string' ? model : 'unknown'}` }
    return events
  }

  end(): readonly RemoteEvent[] {
    if (this.progress === 'open' || this.#hasFailed) return [...this.#pause(), ...this.#endStep()]
    const calls = this.#makeCalls()
    const toolNames = this.#made.map(({ toolName }) => toolName)
    if (this.#finishReason === 'tool_calls' && toolNames.length > 0) {
      const error = this.#options.errors.needsTools(toolNames)
      return [...calls, ...this.#endStep(), { type: 'error', error }]
    }
    const finishReason = finishReasonOf(this.#finishReason)
    return [...calls, ...this.#results(), ...this.#endStep(), { type: 'finish', finishReason }]
  }

  #take(choice: UncheckedFields): readonly AgentEvent[] {
    const delta = isRecord(choice['delta']) ? choice['delta'] : {}
    const events: AgentEvent[] = []
    if (isMore(delta)) {
      if (this.#finishReason !== undefined) events.push(...this.#nextStep())
      if (!this.#isInStep) events.push({ type: 'step-start' })
      this.#isInStep = true
      events.push(...this.#deltas(delta))
    }
    const reason = choice['finish_reason']
    if (typeof reason !== 'string') return events
    this.#finishReason = reason
    // After its calls, the service goes on, or says with `[DONE]` that it does not.
    if (reason !== 'tool_calls') this.progress = 'complete'
    return [...events, ...this.#makeCalls()]
  }

  #deltas(delta: UncheckedFields): readonly AgentEvent[] {
    const events: AgentEvent[] = []
    const reasoning = delta['reasoning_content'] ?? delta['reasoning']
    if (isText(reasoning)) events.push(...this.#pause(), { type: 'reasoning-delta', text: reasoning })
    for (const text of [delta['content'], delta['refusal']]) {
      if (isText(text)) events.push(...textEvents(this.#text.take(text)))
    }
    for (const call of recordsIn(delta['tool_calls'])) events.push(...this.#callDelta(call))
    return events
  }

  #callDelta(delta: UncheckedFields): readonly AgentEvent[] {
    const { id, function: called } = delta
    const index = typeof delta['index'] === 'number' ? delta['index'] : 0
    const { name, arguments: text } = isRecord(called) ? called : {}
    let call = this.#callAt.get(index)
    const events: AgentEvent[] = []
    // Some services give every call the same index. A new id is a new call.
    if (call === undefined || (isText(id) && id !== call.toolCallId)) {
      this.#callCount += 1
      const toolCallId = isText(id) ? id : `call-${this.#callCount}`
      call = { toolCallId, toolName: isText(name) ? name : 'tool', text: '' }
      this.#calls = [...this.#calls, call]
      this.#callAt.set(index, call)
      events.push(...this.#pause(), { type: 'tool-input-start', toolCallId, toolName: call.toolName })
    }
    if (!isText(text)) return events
    call.text += text
    return [...events, { type: 'tool-input-delta', toolCallId: call.toolCallId, text }]
  }

  /** Returns the calls of this step. Their input is whole now. */
  #makeCalls(): readonly AgentEvent[] {
    const made = this.#calls
    this.#calls = []
    this.#callAt = new Map()
    this.#made = [...this.#made, ...made]
    const calls = made.map(({ toolCallId, toolName, text }) => toolCallFrom({ toolCallId, toolName }, text))
    return [...this.#pause(), ...calls]
  }

  /** The service goes on after its calls, so it has run the tools. */
  #nextStep(): readonly AgentEvent[] {
    this.#finishReason = undefined
    this.progress = 'open'
    return [...this.#results(), ...this.#endStep()]
  }

  #results(): readonly AgentEvent[] {
    const output = 'The service does not say what this tool returned.'
    const made = this.#made
    this.#made = []
    return made.map(
      ({ toolCallId, toolName }) =>
        ({ type: 'tool-result', toolCallId, toolName, input: {}, output }) as const,
    )
  }

  #endStep(): readonly AgentEvent[] {
    const usage = this.#usage
    this.#usage = undefined
    this.#text = new ShownOnce()
    if (!this.#isInStep && usage === undefined) return []
    this.#isInStep = false
    return [{ type: 'step-end', usage: usage?.counts, model: usage?.model }]
  }

  #pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  // The message of a provider's error may contain anything. Its code is a fixed word.
  #fail(error: UncheckedFields): readonly AgentEvent[] {
    this.progress = 'complete'
    this.#hasFailed = true
    const code = [error['code'], error['type']].find(isCode) ?? 'unknown'
    return [...this.#pause(), { type: 'error', error: this.#options.errors.reported(`${code}.`) }]
  }
}

function isMore(delta: UncheckedFields): boolean {
  const { content, refusal, reasoning, reasoning_content: thought, tool_calls: calls } = delta
  return [content, refusal, reasoning, thought].some(isText) || recordsIn(calls).length > 0
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z_.-]{1,63}$/.test(value)
}

function finishReasonOf(reason: string | undefined): FinishReason {
  switch (reason) {
    case undefined:
    case 'stop':
      return 'stop'
    case 'length':
      return 'length'
    case 'content_filter':
      return 'content-filter'
    default:
      return 'other'
  }
}

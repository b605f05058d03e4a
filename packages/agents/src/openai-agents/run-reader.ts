import { isRecord } from '@throughline/protocol'
import { APICallError } from 'ai'
import type { AgentEvent, FinishReason, TokenCounts } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { GuardrailError } from '../errors/agent-errors.ts'
import { type ModelResponse, readProviderEvent, readResponse } from './model-response.ts'
import { ShownCalls } from './shown-calls.ts'
import type { ModelEvent, OpenAIAgent, RunEvent, RunItem } from './streamed-run.ts'
import { eventsOfCall, resultInItem } from './tool-items.ts'

export interface RunReaderOptions {
  /** The agent that begins. */
  readonly agent: OpenAIAgent
  /** Counts what one model call used. `model` is `undefined` when nobody has named it. */
  readonly countUsage: (counts: TokenCounts, model: string | undefined) => void
}

/** Turns what a run of the SDK streams into agent events. It does not read the stream itself. */
export class RunReader {
  readonly calls = new ShownCalls()
  readonly #options: RunReaderOptions
  #agent: OpenAIAgent
  /** A run that continues after an approval may bring items again. */
  readonly #seen = new WeakSet<RunItem>()
  #modelCall: 'none' | 'open' | 'ended' = 'none'
  #model: string | undefined
  #finishReason: FinishReason = 'stop'
  #text = new ShownOnce()
  /** The text of this step so far, as the model sent it. */
  #said = ''
  #hasReasoned = false
  #hasResult = false

  constructor(options: RunReaderOptions) {
    this.#options = options
    this.#agent = options.agent
  }

  /** The model whose call has not ended; `undefined` when there is none, or when nobody has named it. */
  get openModel(): string | undefined {
    return this.#modelCall === 'open' ? this.#modelName : undefined
  }

  read(event: RunEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'raw_model_stream_event':
        return this.#readModel(event.data)
      case 'run_item_stream_event':
        return this.#readItem(event.item)
      case 'agent_updated_stream_event':
        this.#agent = event.agent
        return []
      default:
        // A newer version of the SDK may have more events.
        return []
    }
  }

  /**
   * Returns the end of a run whose stream has ended. `output` is what the SDK calls the final output; it is `undefined` when
   * the run broke off in silence.
   */
  finish(output: unknown): readonly AgentEvent[] {
    if (output === undefined) return this.#endStep()
    // An agent can be told to stop after a tool. Then the tool's output is the answer, and no model has said it.
    const shown = this.#hasResult ? textOf(output) : ''
    const text: readonly AgentEvent[] = shown === '' ? [] : [{ type: 'text-delta', text: shown }]
    return [
      ...this.calls.hiddenResults(),
      ...text,
      ...this.#endStep(),
      { type: 'finish', finishReason: this.#finishReason },
    ]
  }

  /** Returns the end of a run that has thrown. The SDK also throws when the model has reached its limit of length. */
  fail(error: unknown): readonly AgentEvent[] {
    const isCut = this.#finishReason === 'length'
    return [...this.#endStep(), isCut ? { type: 'finish', finishReason: 'length' } : failureEvent(error)]
  }

  get #modelName(): string | undefined {
    return this.#model ?? nameOf(this.#agent.model)
  }

  #readModel(event: ModelEvent): readonly AgentEvent[] {
    switch (event.type) {
      case 'response_started':
        return this.#beginStep()
      case 'output_text_delta':
        return typeof event.delta === 'string' ? [...this.#ensureStep(), ...this.#takeText(event.delta)] : []
      case 'response_done':
        return [...this.#ensureStep(), ...this.#endModelCall(readResponse(event.response))]
      case 'model': {
        const { reasoning, model, finishReason } = readProviderEvent(event.event)
        this.#model = model ?? this.#model
        this.#finishReason = finishReason ?? this.#finishReason
        if (reasoning === undefined) return []
        return [...this.#ensureStep(), ...this.#takeReasoning(reasoning)]
      }
      default:
        return []
    }
  }

  /** Not every model says that its response begins. */
  #ensureStep(): readonly AgentEvent[] {
    return this.#modelCall === 'open' ? [] : this.#beginStep()
  }

  #beginStep(): readonly AgentEvent[] {
    const before = [...this.calls.hiddenResults(), ...this.#endStep()]
    this.#modelCall = 'open'
    this.#model = undefined
    this.#finishReason = 'stop'
    this.#text = new ShownOnce()
    this.#said = ''
    this.#hasReasoned = false
    this.#hasResult = false
    return [...before, { type: 'step-start' }]
  }

  /** Returns the end of the step, if one is open. */
  #endStep(): readonly AgentEvent[] {
    const events = this.#pause()
    if (this.#modelCall === 'none') return events
    this.#modelCall = 'none'
    return [...events, { type: 'step-end' }]
  }

  #takeText(text: string): readonly AgentEvent[] {
    this.#said += text
    return textEvents(this.#text.take(text))
  }

  #takeReasoning(text: string): readonly AgentEvent[] {
    this.#hasReasoned = true
    return [...this.#pause(), { type: 'reasoning-delta', text }]
  }

  /** Some models stream nothing, or only a part. What is missing comes with the whole response. */
  #endModelCall(response: ModelResponse): readonly AgentEvent[] {
    const { text, refusal, reasoning, counts } = response
    const unsaid = text.startsWith(this.#said) ? text.slice(this.#said.length) : ''
    const events = [
      ...(this.#hasReasoned || reasoning === '' ? [] : this.#takeReasoning(reasoning)),
      ...(unsaid === '' ? [] : this.#takeText(unsaid)),
      ...(refusal === '' || this.#said.includes(refusal) ? [] : this.#takeText(refusal)),
      ...this.#pause(),
    ]
    this.#modelCall = 'ended'
    if (counts !== undefined) this.#options.countUsage(counts, this.#modelName)
    return [...events, { type: 'response-done' }]
  }

  #readItem(item: RunItem): readonly AgentEvent[] {
    if (this.#seen.has(item)) return []
    this.#seen.add(item)
    const events = eventsOfCall(item, call => this.calls.add(call))
    if (events !== undefined) return [...this.#pause(), ...events]
    const result = resultInItem(item)
    if (result === undefined) return []
    this.#hasResult = true
    return [...this.calls.hiddenResults(), { ...result, toolCallId: this.calls.idOf(result.toolCallId) }]
  }

  #pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }
}

/** An agent names its model without a provider, which is then OpenAI. */
function nameOf(model: unknown): string | undefined {
  return typeof model === 'string' && model !== '' ? `openai:${model}` : undefined
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

/** Returns how an answer ends when its run has thrown. Errors of the SDK are known by their names. */
function failureEvent(error: unknown): AgentEvent {
  const name = error instanceof Error ? error.name : ''
  switch (name) {
    case 'MaxTurnsExceededError':
      return { type: 'finish', finishReason: 'tool-calls' }
    case 'InputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('question', { cause: error }) }
    case 'OutputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('answer', { cause: error }) }
    case 'ToolInputGuardrailTripwireTriggered':
    case 'ToolOutputGuardrailTripwireTriggered':
      return { type: 'error', error: new GuardrailError('tool', { cause: error }) }
    default:
      return { type: 'error', error: isApiError(error) ? callErrorOf(error) : error }
  }
}

/** An error of OpenAI's client. `status` is missing when there was no response. */
interface ApiError extends Error {
  readonly status?: unknown
  readonly headers: unknown
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'status' in error && 'headers' in error
}

/**
 * Returns the error that the AI SDK would have thrown, so that people and the log are told the same. The message of the
 * provider is left out: it may repeat the conversation. Its code is kept.
 */
function callErrorOf(error: ApiError): APICallError {
  const { status } = error
  const body = 'error' in error && isRecord(error.error) ? error.error : {}
  return new APICallError({
    message: 'The model provider failed.',
    url: '',
    requestBodyValues: {},
    ...(typeof status === 'number' ? { statusCode: status } : {}),
    data: { error: { code: body['code'], type: body['type'] } },
  })
}

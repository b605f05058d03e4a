import { isRecord } from '@throughline/protocol'
import type { FinishReason, TokenCounts } from '../agent/agent-event.ts'
import { fieldsOf, isText, recordsIn, textOrEmpty, type UncheckedFields } from '../values/fields.ts'
import { tokenCounts } from '../values/token-counts.ts'

/** What a model has said in one call. */
export interface ModelResponse {
  readonly text: string
  /** What the model says in place of an answer. The SDK does not stream it. */
  readonly refusal: string
  readonly reasoning: string
  readonly counts: TokenCounts | undefined
}

/** Reads the response at the end of a model call. */
export function readResponse(value: unknown): ModelResponse {
  const response = fieldsOf(value)
  const output = recordsIn(response['output'])
  const said = output.filter(({ role }) => role === 'assistant').flatMap(({ content }) => recordsIn(content))
  const thought = output.filter(({ type }) => type === 'reasoning')
  return {
    text: said.map(({ type, text }) => (type === 'output_text' ? textOrEmpty(text) : '')).join(''),
    refusal: said.map(({ type, refusal }) => (type === 'refusal' ? textOrEmpty(refusal) : '')).join(''),
    reasoning: thought.map(reasoningOf).join('\n\n'),
    counts: readCounts(response['usage']),
  }
}

/** Returns the tokens in a usage of the SDK; `undefined` when there are none. */
export function readCounts(value: unknown): TokenCounts | undefined {
  const usage = fieldsOf(value)
  return tokenCounts({
    input: usage['inputTokens'],
    output: usage['outputTokens'],
    total: usage['totalTokens'],
    reasoning: detail(usage['outputTokensDetails'], 'reasoning_tokens'),
    cached: detail(usage['inputTokensDetails'], 'cached_tokens'),
  })
}

/** The usage of a whole run has a list of details, one for each model call. */
function detail(details: unknown, name: string): number | undefined {
  const counts = [details].flat().flatMap(each => {
    const count = fieldsOf(each)[name]
    return typeof count === 'number' ? [count] : []
  })
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** A summary is for people. Where there is none, the model's own reasoning is shown. */
function reasoningOf({ content, rawContent }: UncheckedFields): string {
  const summary = recordsIn(content).map(({ text }) => textOrEmpty(text))
  const raw = recordsIn(rawContent).map(({ text }) => textOrEmpty(text))
  return (summary.length > 0 ? summary : raw).join('\n\n')
}

/** What an event of the provider says beyond the events of the SDK. */
interface ProviderEvent {
  /** More text of the model's reasoning. */
  readonly reasoning?: string | undefined
  /** The model that answers, as `provider:model`. */
  readonly model?: string | undefined
  /** Why the model has ended too early. */
  readonly finishReason?: FinishReason | undefined
}

/**
 * Reads an event of the provider, which the SDK passes on as it came. The SDK has no events of its own for reasoning and for
 * a model that ends too early. So they are read here, in the two forms that OpenAI's models stream.
 */
export function readProviderEvent(event: unknown): ProviderEvent {
  if (!isRecord(event)) return {}
  return event['object'] === 'chat.completion.chunk' ? readCompletion(event) : readResponsesEvent(event)
}

/** Reads an event of OpenAI's Responses. */
function readResponsesEvent(event: UncheckedFields): ProviderEvent {
  const response = fieldsOf(event['response'])
  switch (event['type']) {
    case 'response.created':
      return { model: modelIn(response) }
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { reasoning: someText(event['delta']) }
    // A summary has several parts, and each of them is a paragraph.
    case 'response.reasoning_summary_part.added':
      return { reasoning: event['summary_index'] === 0 ? undefined : '\n\n' }
    case 'response.incomplete':
      return { finishReason: finishReasonOf(fieldsOf(response['incomplete_details'])['reason']) }
    default:
      return {}
  }
}

/** Reads a chunk of OpenAI's chat completions. */
function readCompletion(chunk: UncheckedFields): ProviderEvent {
  const choice = fieldsOf(Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined)
  const delta = fieldsOf(choice['delta'])
  return {
    // Services that speak like OpenAI use one of these two names.
    reasoning: someText(delta['reasoning']) ?? someText(delta['reasoning_content']),
    model: modelIn(chunk),
    finishReason: finishReasonOf(choice['finish_reason']),
  }
}

function finishReasonOf(reason: unknown): FinishReason | undefined {
  switch (reason) {
    case 'max_output_tokens':
    case 'length':
      return 'length'
    case 'content_filter':
      return 'content-filter'
    default:
      return undefined
  }
}

function modelIn({ model }: UncheckedFields): string | undefined {
  return someText(model) === undefined ? undefined : `openai:${model}`
}

function someText(value: unknown): string | undefined {
  return isText(value) ? value : undefined
}

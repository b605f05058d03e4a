import { isRecord } from '@throughline/protocol'
import type { FinishReason } from '../agent-event.ts'

/** What an event of the provider says beyond the events of the SDK. */
export interface ProviderEvent {
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

type Fields = Readonly<Record<string, unknown>>

/** Reads an event of OpenAI's Responses. */
function readResponsesEvent(event: Fields): ProviderEvent {
  const response = fieldsOf(event['response'])
  switch (event['type']) {
    case 'response.created':
      return { model: modelIn(response) }
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return { reasoning: textIn(event['delta']) }
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
function readCompletion(chunk: Fields): ProviderEvent {
  const choice = fieldsOf(Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined)
  const delta = fieldsOf(choice['delta'])
  return {
    // Services that speak like OpenAI use one of these two names.
    reasoning: textIn(delta['reasoning']) ?? textIn(delta['reasoning_content']),
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

function modelIn({ model }: Fields): string | undefined {
  return textIn(model) === undefined ? undefined : `openai:${model}`
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

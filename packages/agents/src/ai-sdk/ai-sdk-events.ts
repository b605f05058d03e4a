import { defined } from '@throughline/protocol/internal'
import { APICallError, type LanguageModelUsage, RetryError, type TextStreamPart, type ToolSet } from 'ai'
import type { AgentEvent, ProviderMetadata, TokenCounts, ToolCall } from '../agent/agent-event.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { toJson } from '../values/json-value.ts'
import { ShownOnce } from './shown-once.ts'

/**
 * Turns the AI SDK's stream into agent events. With `modelOf`, the end of each step has its usage. `modelOf` is called with
 * the model's id as the provider says it, and returns the name that the usage is counted for.
 */
export async function* aiSdkEvents(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  modelOf?: ModelOf,
): AsyncGenerator<AgentEvent, void, undefined> {
  let text = new ShownOnce()
  // The metadata of deltas that were held back. It goes out with the next text.
  let metadata: ProviderMetadata | undefined
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta') {
        const shown = text.take(part.text)
        metadata = part.providerMetadata ?? metadata
        if (shown === '' && part.text !== '') continue
        for (const event of textEvents(shown, metadata)) yield event
        metadata = undefined
        continue
      }
      const event = eventOf(part, modelOf)
      if (event === undefined) continue
      for (const each of textEvents(text.pause(), metadata)) yield each
      metadata = undefined
      if (endsOfText.has(part.type)) text = new ShownOnce()
      yield event
    }
  } catch (error) {
    // The provider failed after it had sent this text. So the text is shown before the error.
    for (const each of textEvents(text.pause(), metadata)) yield each
    throw error
  }
  for (const each of textEvents(text.pause(), metadata)) yield each
}

type ModelOf = (modelId: string) => string

const endsOfText: ReadonlySet<string> = new Set(['text-end', 'start-step', 'finish-step'])

/** Metadata without a text goes out with an empty one. */
function textEvents(text: string, providerMetadata: ProviderMetadata | undefined): readonly AgentEvent[] {
  return text === '' && providerMetadata === undefined ? [] : [{ type: 'text-delta', text, providerMetadata }]
}

function eventOf(part: TextStreamPart<ToolSet>, modelOf: ModelOf | undefined): AgentEvent | undefined {
  switch (part.type) {
    case 'start-step':
      return { type: 'step-start' }
    case 'finish-step':
      return modelOf === undefined
        ? { type: 'step-end' }
        : { type: 'step-end', usage: countsOf(part.usage), model: modelOf(part.response.modelId) }
    case 'reasoning-delta':
      return { type: 'reasoning-delta', text: part.text, providerMetadata: part.providerMetadata }
    case 'text-end':
      return { type: 'text-end', citations: part.citations, providerMetadata: part.providerMetadata }
    case 'reasoning-end':
      return { type: 'reasoning-end', providerMetadata: part.providerMetadata }
    case 'tool-input-start':
      return { type: 'tool-input-start', ...startOf({ ...part, toolCallId: part.id }) }
    case 'tool-input-delta':
      return { type: 'tool-input-delta', toolCallId: part.id, text: part.delta }
    case 'tool-call':
      return part.invalid === true
        ? { type: 'tool-call-invalid', ...callOf(part), errorText: messageOf(part.error) }
        : { type: 'tool-call', ...callOf(part) }
    case 'tool-result': {
      const type = part.preliminary === true ? 'tool-progress' : 'tool-result'
      return { type, ...callOf(part), output: part.output }
    }
    case 'tool-error':
      return { type: 'tool-error', ...callOf(part), errorText: messageOf(part.error) }
    case 'source':
      return { type: 'source', chunk: sourceChunk(part) }
    case 'file':
    case 'reasoning-file': {
      const { mediaType, base64 } = part.file
      return {
        type: 'file',
        chunk: { type: part.type, mediaType, url: `data:${mediaType};base64,${base64}` },
      }
    }
    case 'finish':
      return { type: 'finish', finishReason: part.finishReason }
    case 'error':
      return { type: 'error', error: part.error }
    // This comes only when the SDK has stopped waiting for the model. After an abort of ours nobody reads the stream.
    case 'abort':
      return {
        type: 'error',
        error: new DOMException(part.reason ?? 'The model was silent for too long.', 'TimeoutError'),
      }
    // Not shown. Text comes out of `ShownOnce`, and `segment` opens parts at their first delta. Our approvals wait inside
    // the tool call.
    case 'text-start':
    case 'text-delta':
    case 'reasoning-start':
    case 'tool-input-end':
    case 'custom':
    case 'start':
    case 'ping':
    case 'raw':
    case 'tool-approval-request':
    case 'tool-approval-response':
    case 'tool-output-denied':
    case 'steering-message':
      return undefined
  }
}

type CallLike = Pick<
  ToolCall,
  'toolCallId' | 'toolName' | 'title' | 'dynamic' | 'providerExecuted' | 'providerMetadata'
> & {
  readonly input: unknown
}

function callOf(part: CallLike): ToolCall {
  return { ...startOf(part), input: part.input }
}

function startOf(part: Omit<CallLike, 'input'>): Omit<ToolCall, 'input'> {
  const { toolCallId, toolName, title, dynamic, providerExecuted, providerMetadata } = part
  return { toolCallId, toolName, title, dynamic: dynamic || undefined, providerExecuted, providerMetadata }
}

type Source = Extract<TextStreamPart<ToolSet>, { type: 'source' }>

function sourceChunk(source: Source): Extract<AgentEvent, { type: 'source' }>['chunk'] {
  const { id: sourceId, title } = source
  return source.sourceType === 'url'
    ? { type: 'source-url', sourceId, url: source.url, ...defined({ title }) }
    : { type: 'source-document', sourceId, mediaType: source.mediaType, title: source.title }
}

/** Returns the token counts of the AI SDK in our form. A count that the provider does not report is 0 or left out. */
export function countsOf(usage: LanguageModelUsage): TokenCounts {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const reasoningTokens = usage.outputTokenDetails.reasoningTokens
  const cachedInputTokens = usage.inputTokenDetails.cacheReadTokens
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...defined({ reasoningTokens, cachedInputTokens }),
  }
}

// The message of a tool's error is for the model and the person, so it is kept. But a tool can call a model itself. The
// message of a provider's error may contain anything, so it is replaced. The runtime behind a harness agent reports an error
// as any JSON value.
function messageOf(error: unknown): string {
  if (APICallError.isInstance(error) || RetryError.isInstance(error)) return describeFailure(error)
  if (error instanceof Error) return error.message
  return typeof error === 'object' ? toJson(error) : String(error)
}

/** Returns the name of a model as usage and prices have it: `provider:model`. */
export function modelName(model: string | { readonly provider: string; readonly modelId: string }): string {
  if (typeof model === 'string') return model
  const [provider = model.provider] = model.provider.split('.')
  return `${provider}:${model.modelId}`
}

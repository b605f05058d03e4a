import { APICallError, type LanguageModelUsage, RetryError, type TextStreamPart, type ToolSet } from 'ai'
import type { AgentEvent, ProviderMetadata, TokenCounts, ToolCall } from '../agent-event.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { ModelText } from './model-text/model-text.ts'
import type { Piece } from './model-text/thinking-splitter.ts'

/** The AI SDK's stream as agent events. With a `model`, the ends of steps tell what that model used. */
export async function* aiSdkEvents(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  model?: string,
): AsyncGenerator<AgentEvent, void, undefined> {
  let text = new ModelText()
  // Of deltas that were held back: it goes with what comes out next.
  let metadata: ProviderMetadata | undefined
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta') {
        const pieces = text.take(part.text)
        metadata = part.providerMetadata ?? metadata
        if (pieces.length === 0 && part.text !== '') continue
        for (const event of textEvents(pieces, metadata)) yield event
        metadata = undefined
        continue
      }
      const event = eventOf(part, model)
      if (event === undefined) continue
      for (const each of textEvents(text.pause(), metadata)) yield each
      metadata = undefined
      if (part.type === 'text-end') text.endText()
      if (part.type === 'start-step' || part.type === 'finish-step') text = new ModelText()
      yield event
    }
  } catch (error) {
    // What was held back has been said, although the provider broke after it.
    for (const each of textEvents(text.pause(), metadata)) yield each
    throw error
  }
  for (const each of textEvents(text.pause(), metadata)) yield each
}

/** Metadata stands with the last piece; without a piece it comes alone. */
function textEvents(
  pieces: readonly Piece[],
  providerMetadata: ProviderMetadata | undefined,
): readonly AgentEvent[] {
  const last = pieces.length - 1
  if (last === -1)
    return providerMetadata === undefined ? [] : [{ type: 'text-delta', text: '', providerMetadata }]
  return pieces.map(({ type, text }, index) => ({
    type: `${type}-delta` as const,
    text,
    providerMetadata: index === last ? providerMetadata : undefined,
  }))
}

function eventOf(part: TextStreamPart<ToolSet>, model: string | undefined): AgentEvent | undefined {
  switch (part.type) {
    case 'start-step':
      return { type: 'step-start' }
    case 'finish-step':
      return model === undefined
        ? { type: 'step-end' }
        : { type: 'step-end', usage: countsOf(part.usage), model }
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
    // Seen only when the SDK itself gave up waiting: after an abort of ours nobody reads on.
    case 'abort':
      return {
        type: 'error',
        error: new DOMException(part.reason ?? 'The model was silent for too long.', 'TimeoutError'),
      }
    // The text itself comes as pieces of `ModelText`, and parts are opened by their first delta. Bookkeeping of
    // providers, approvals (ours wait inside the tool call) and steering are not shown.
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
    ? { type: 'source-url', sourceId, url: source.url, ...(title === undefined ? {} : { title }) }
    : { type: 'source-document', sourceId, mediaType: source.mediaType, title: source.title }
}

export function countsOf(usage: LanguageModelUsage): TokenCounts {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const reasoningTokens = usage.outputTokenDetails.reasoningTokens
  const cachedInputTokens = usage.inputTokenDetails.cacheReadTokens
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
  }
}

// A tool's error is written for the model and the person, so its own words are kept. A tool that asks a model itself can
// fail with a provider's words, which are for nobody.
function messageOf(error: unknown): string {
  if (APICallError.isInstance(error) || RetryError.isInstance(error)) return describeFailure(error)
  return error instanceof Error ? error.message : String(error)
}

import { isRecord } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { APICallError, RetryError } from 'ai'
import {
  type AgentEvent,
  type FinishReason,
  isFinishReason,
  type TokenCounts,
  type ToolCall,
} from '../agent/agent-event.ts'
import { modelName } from '../ai-sdk/ai-sdk-events.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { tokenCounts } from '../values/token-counts.ts'
import type { MastraOutput } from './mastra-agent.ts'
import {
  type CallStart,
  isMastraChunk,
  type MadeFile,
  type MastraChunk,
  type MastraPayload,
  type MastraSource,
  type StepFinish,
  type SuspendedCall,
} from './mastra-chunk.ts'

/** An event of the agent, or something that is not shown as it is. */
export type MastraEvent =
  | AgentEvent
  /** Mastra has suspended the run: this call waits for a person's approval, or for data that only the tool knows. */
  | { readonly type: 'waiting'; readonly for: 'approval' | 'data'; readonly call: SuspendedCall }
  /** What an agent inside a tool used. */
  | ({ readonly type: 'usage' } & StepUsage)

/** Turns Mastra's stream into agent events. */
export async function* mastraEvents(
  stream: MastraOutput['fullStream'],
): AsyncGenerator<MastraEvent, void, undefined> {
  let text = new ShownOnce()
  for await (const chunk of stream) {
    if (!isMastraChunk(chunk)) continue
    if (chunk.type === 'text-delta') {
      for (const event of textEvents(text.take(chunk.payload.text))) yield event
      continue
    }
    const events = eventsOf(chunk)
    if (events.length === 0) continue
    for (const event of textEvents(text.pause())) yield event
    if (endsOfText.has(chunk.type)) text = new ShownOnce()
    for (const event of events) yield event
  }
  for (const event of textEvents(text.pause())) yield event
}

const endsOfText: ReadonlySet<string> = new Set(['text-end', 'step-start', 'step-finish'])

function eventsOf(chunk: Exclude<MastraChunk, { type: 'text-delta' }>): readonly MastraEvent[] {
  // Then Mastra tells the model the reason, and goes on with another step.
  if (chunk.type === 'tripwire' && chunk.payload.retry === true) return []
  if (chunk.type !== 'tool-output') return [eventOf(chunk)]
  const used = nestedUsage(chunk.payload.output)
  return used === undefined ? progressEvents(chunk.payload) : [{ type: 'usage', ...used }]
}

function eventOf(chunk: Exclude<MastraChunk, { type: 'text-delta' | 'tool-output' }>): MastraEvent {
  switch (chunk.type) {
    case 'step-start':
      return { type: 'step-start' }
    case 'step-finish':
      return { type: 'step-end', ...stepUsage(chunk.payload) }
    case 'reasoning-delta':
      return { type: 'reasoning-delta', ...textOf(chunk.payload) }
    case 'text-end':
    case 'reasoning-end':
      return { type: chunk.type, providerMetadata: chunk.payload.providerMetadata }
    case 'tool-call-input-streaming-start':
      return { type: 'tool-input-start', ...startOf(chunk.payload) }
    case 'tool-call-delta':
      return {
        type: 'tool-input-delta',
        toolCallId: chunk.payload.toolCallId,
        text: chunk.payload.argsTextDelta,
      }
    case 'tool-call':
      return { type: 'tool-call', ...callOf(chunk.payload) }
    case 'tool-result':
      return resultEvent(chunk.payload)
    case 'tool-error':
      return errorEvent(chunk.payload)
    case 'tool-output-denied':
      return { type: 'tool-denied', toolCallId: chunk.payload.toolCallId }
    case 'tool-call-approval':
      return { type: 'waiting', for: 'approval', call: chunk.payload }
    case 'tool-call-suspended':
      return { type: 'waiting', for: 'data', call: chunk.payload }
    case 'source':
      return { type: 'source', chunk: sourceChunk(chunk.payload) }
    case 'file':
    case 'reasoning-file':
      return { type: 'file', chunk: fileChunk(chunk.type, chunk.payload) }
    case 'finish':
      return { type: 'finish', finishReason: finishReasonOf(chunk.payload.stepResult.reason) }
    case 'tripwire':
      return {
        type: 'error',
        error: new Error(`A processor of the agent stopped it: ${chunk.payload.reason}`),
      }
    // After a stop of ours nobody reads the stream, so this is an abort of somebody else.
    case 'abort':
      return { type: 'error', error: new Error('Mastra aborted the run.') }
    case 'error':
      return { type: 'error', error: chunk.payload.error }
  }
}

function textOf({ text, providerMetadata }: MastraPayload<'reasoning-delta'>) {
  return { text, providerMetadata }
}

function finishReasonOf(reason: string): FinishReason {
  // A processor has stopped the agent.
  if (reason === 'tripwire') return 'error'
  return isFinishReason(reason) ? reason : 'other'
}

type FileChunk = Extract<AgentEvent, { type: 'file' }>['chunk']
type SourceChunk = Extract<AgentEvent, { type: 'source' }>['chunk']

/** Returns a file that the model has made, with its data in the address. */
function fileChunk(type: FileChunk['type'], { data, base64, mimeType }: MadeFile): FileChunk {
  const encoded = base64 ?? (typeof data === 'string' ? data : Buffer.from(data).toString('base64'))
  return { type, mediaType: mimeType, url: `data:${mimeType};base64,${encoded}` }
}

function sourceChunk({ id: sourceId, sourceType, title, ...source }: MastraSource): SourceChunk {
  if (sourceType === 'url') return { type: 'source-url', sourceId, url: source.url ?? '', title }
  const { mimeType: mediaType = 'application/octet-stream', filename } = source
  return { type: 'source-document', sourceId, mediaType, title, ...defined({ filename }) }
}

/** Returns what is known of a call before its input has come. */
function startOf(payload: CallStart): Omit<ToolCall, 'input'> {
  const { toolCallId, toolName, providerExecuted, dynamic, providerMetadata } = payload
  return { toolCallId, toolName, providerExecuted, dynamic: dynamic || undefined, providerMetadata }
}

function callOf(payload: CallStart & { readonly args?: unknown }): ToolCall {
  return { ...startOf(payload), input: payload.args ?? {} }
}

/** Returns the event of a result. Mastra reports an input that does not fit as a result, too; here it is an error. */
function resultEvent(payload: MastraPayload<'tool-result'>): AgentEvent {
  const { result, isError } = payload
  const call = withoutMetadata(payload)
  const refusal = refusalIn(result)
  if (refusal !== undefined) return { type: 'tool-error', ...call, errorText: refusal }
  if (isError === true) return { type: 'tool-error', ...call, errorText: messageOf(result) }
  return { type: 'tool-result', ...call, output: result }
}

function errorEvent(payload: MastraPayload<'tool-error'>): AgentEvent {
  return { type: 'tool-error', ...withoutMetadata(payload), errorText: messageOf(payload.error) }
}

/** Returns what a tool writes while it works. The chunks of an agent or a workflow inside a tool are not shown. */
function progressEvents(payload: MastraPayload<'tool-output'>): readonly AgentEvent[] {
  const { toolCallId, toolName = 'tool', output } = payload
  if (isNestedChunk(output)) return []
  return [{ type: 'tool-progress', toolCallId, toolName, input: undefined, output }]
}

// Mastra keeps a second copy of the output in the metadata of a result.
function withoutMetadata(payload: CallStart & { readonly args?: unknown }): ToolCall {
  return { ...callOf(payload), providerMetadata: undefined }
}

function refusalIn(result: unknown): string | undefined {
  if (!isRecord(result) || result['error'] !== true || !('validationErrors' in result)) return undefined
  return typeof result['message'] === 'string' ? result['message'] : undefined
}

// A tool can call a model itself. The message of a provider's error may contain anything, so it is replaced.
function messageOf(error: unknown): string {
  if (APICallError.isInstance(error) || RetryError.isInstance(error)) return describeFailure(error)
  if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  return typeof error === 'string' ? error : 'The tool failed.'
}

interface StepUsage {
  /** The model that was paid for, as `provider:model`. */
  readonly model: string
  readonly usage: TokenCounts
}

/** Returns what a step used; `undefined` when Mastra does not know. */
function stepUsage({ output, metadata }: StepFinish): StepUsage | undefined {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = output.usage
  const usage = tokenCounts({
    input: inputTokens,
    output: outputTokens,
    total: totalTokens,
    reasoning: reasoningTokens,
    cached: cachedInputTokens,
  })
  return usage && { model: modelOf(metadata), usage }
}

/**
 * Returns what a step of an agent inside a tool used. The tool's output then is a chunk of that agent. A sub-agent of a
 * sub-agent comes as an output inside of an output.
 */
function nestedUsage(output: unknown): StepUsage | undefined {
  if (!isNestedChunk(output) || !isMastraChunk(output)) return undefined
  if (output.type === 'step-finish') return stepUsage(output.payload)
  return output.type === 'tool-output' ? nestedUsage(output.payload.output) : undefined
}

/** Returns whether a tool's output is a chunk of an agent or a workflow that the tool runs. */
function isNestedChunk(output: unknown): output is { readonly type: string } {
  return isRecord(output) && typeof output['type'] === 'string' && 'from' in output && 'runId' in output
}

// `modelMetadata` has the model that the agent was made with. `modelId` beside it is what the provider calls it, such as a
// dated version, for which there may be no price.
function modelOf({ modelMetadata, modelId: served }: StepFinish['metadata']): string {
  const { modelProvider: provider, modelId = served } = isRecord(modelMetadata) ? modelMetadata : {}
  if (typeof modelId !== 'string') return 'unknown'
  return typeof provider === 'string' ? modelName({ provider, modelId }) : modelId
}

import type { AgentEvent, FinishReason } from '../agent-event.ts'
import { ModelText, textEvents } from '../ai-sdk/model-text/model-text.ts'
import type { MastraOutput } from './mastra-agent.ts'
import { isMastraChunk, type MastraChunk, type MastraPayload, type WaitingCall } from './mastra-chunk.ts'
import { fileChunk, sourceChunk } from './mastra-files.ts'
import { callOf, errorEvent, progressEvents, resultEvent, startOf } from './mastra-tools.ts'
import { nestedUsage, type StepUsage, stepUsage } from './mastra-usage.ts'

/** An event of the agent, or something that is not shown as it is. */
export type MastraEvent =
  | AgentEvent
  /** Mastra has suspended the run: this call waits for a person's approval, or for data that only the tool knows. */
  | { readonly type: 'waiting'; readonly for: 'approval' | 'data'; readonly call: WaitingCall }
  /** What an agent inside a tool used. */
  | ({ readonly type: 'usage' } & StepUsage)

/** Turns Mastra's stream into agent events. */
export async function* mastraEvents(
  stream: MastraOutput['fullStream'],
): AsyncGenerator<MastraEvent, void, undefined> {
  let text = new ModelText()
  for await (const chunk of stream) {
    if (!isMastraChunk(chunk)) continue
    if (chunk.type === 'text-delta') {
      for (const event of textEvents(text.take(chunk.payload.text))) yield event
      continue
    }
    const events = eventsOf(chunk)
    if (events.length === 0) continue
    for (const event of textEvents(text.pause())) yield event
    if (chunk.type === 'text-end') text.endText()
    if (chunk.type === 'step-start' || chunk.type === 'step-finish') text = new ModelText()
    for (const event of events) yield event
  }
  for (const event of textEvents(text.pause())) yield event
}

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
  switch (reason) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'tool-calls':
    case 'error':
    case 'interrupted':
      return reason
    // A processor has stopped the agent.
    case 'tripwire':
      return 'error'
    default:
      return 'other'
  }
}

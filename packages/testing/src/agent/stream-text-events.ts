import type { AgentEvent, AgentRequest } from '@throughline/agents'
import { modelName } from '@throughline/agents/internal'
import { aiSdkEvents, modelMessages } from '@throughline/agents/testing'
import {
  isStepCount,
  type LanguageModel,
  experimental_streamTextLowMemory as streamText,
  type ToolSet,
} from 'ai'

interface StreamTextEventsOptions {
  readonly model: LanguageModel
  readonly tools: ToolSet
}

/**
 * Yields the events of an answer for which every part goes through `streamText`. `modelAgent`, whose deltas go past it, is
 * compared with this.
 */
export async function* streamTextEvents(
  { model, tools }: StreamTextEventsOptions,
  { messages, signal }: AgentRequest,
): AsyncGenerator<AgentEvent> {
  const { stream } = streamText({
    model,
    tools,
    messages: await modelMessages(messages, tools),
    stopWhen: isStepCount(20),
    abortSignal: signal,
    timeout: { firstChunkMs: 180_000, chunkMs: 180_000 },
    onError: () => undefined,
  })
  yield* aiSdkEvents(stream, () => modelName(model))
}

import {
  isStepCount,
  type LanguageModel,
  experimental_streamTextLowMemory as streamText,
  type ToolSet,
  wrapLanguageModel,
} from 'ai'
import type { Agent, AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import { aiSdkEvents, countsOf, modelName } from './ai-sdk-events.ts'
import { DeltaBypass } from './bypass/delta-bypass.ts'
import { requestMessages, stepsTaken } from './request-messages.ts'

/** The options of `modelAgent`. */
export interface ModelAgentOptions {
  readonly name: string
  /** The name that people read. Default: `name`. */
  readonly displayName?: string
  readonly description?: string
  /** What the model is told first. A function is called once per answer. */
  readonly instructions?: string | (() => Promise<string>)
  /** The model that writes the answers. */
  readonly model: LanguageModel
  /** The tools of the model, by name. Default: none. */
  readonly tools?: ToolSet
  /** Tools that the model is not told about. A model that calls one anyway gets a refusal as its result. */
  readonly refusedTools?: ToolSet
  /** The most model calls in one answer; 20 by default. */
  readonly maxSteps?: number
  /** How long the model may send nothing, in milliseconds; 180,000 by default. */
  readonly maxSilenceMs?: number
}

/**
 * Makes an agent of a model, instructions and tools. The AI SDK runs the loop of model calls and tool calls. The model's
 * deltas go past it: docs/decisions/0017-own-model-loop.md says why.
 */
export function modelAgent(options: ModelAgentOptions): Agent {
  const { name, displayName = name, description } = options
  return { name, displayName, description, continues: true, run: request => runModel(options, request) }
}

async function* runModel(options: ModelAgentOptions, request: AgentRequest): AsyncGenerator<AgentEvent> {
  const { model, instructions, refusedTools = {}, maxSteps = 20, maxSilenceMs = 180_000 } = options
  const { countUsage } = request
  const tools = { ...refusedTools, ...options.tools }
  const stepsLeft = maxSteps - stepsTaken(request.answerSoFar)
  if (stepsLeft <= 0) {
    yield { type: 'finish', finishReason: 'tool-calls' }
    return
  }
  const maxQuietMs = maxSilenceMs / 20
  const bypass = new DeltaBypass({ tools, maxQuietMs })
  const result = streamText({
    model: bypass.wrap(hideTools(model, new Set(Object.keys(refusedTools)))),
    ...(instructions === undefined ? {} : { instructions: await textOf(instructions) }),
    messages: await requestMessages(request, tools),
    tools,
    stopWhen: isStepCount(stepsLeft),
    abortSignal: request.signal,
    // The SDK may have got its last part `maxQuietMs` before the model sent its last delta.
    timeout: { firstChunkMs: maxSilenceMs, chunkMs: maxSilenceMs + maxQuietMs },
    // On its stream, the SDK gives the usage only after the tools of the step have ended.
    ...(countUsage && {
      onLanguageModelCallEnd: ({ usage }) => countUsage(modelName(model), countsOf(usage)),
    }),
    // Errors come as parts of the stream. By default the SDK would also print them, with the whole request.
    onError: () => undefined,
  })
  yield* aiSdkEvents(
    bypass.parts(result.stream),
    countUsage === undefined ? () => modelName(model) : undefined,
  )
}

function textOf(instructions: string | (() => Promise<string>)): Promise<string> | string {
  return typeof instructions === 'string' ? instructions : instructions()
}

/** Returns the same model, but without telling it about some tools. When it calls one of them anyway, the tool runs. */
function hideTools(model: LanguageModel, names: ReadonlySet<string>): LanguageModel {
  // The AI SDK looks up a model that is only a name later, so it cannot be wrapped here.
  if (names.size === 0 || typeof model === 'string') return model
  return wrapLanguageModel({
    model,
    middleware: {
      transformParams: async ({ params: { tools = [], ...params } }) => {
        const shown = tools.filter(({ name }) => !names.has(name))
        return shown.length === 0 ? params : { ...params, tools: shown }
      },
    },
  })
}

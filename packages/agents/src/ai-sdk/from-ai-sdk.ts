import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import type { KeyedAgent } from '../named-agent.ts'
import { aiSdkEvents } from './ai-sdk-events.ts'
import { modelMessages } from './model-messages.ts'
import { modelName } from './model-name.ts'

/** What is asked in the terms of the AI SDK. `streamText` takes it as it is: `streamText({ model, ...call })`. */
export interface AiSdkCall {
  /** The chat so far. It ends with the message that is answered. */
  readonly messages: ModelMessage[]
  /** Aborts when the agent is stopped. */
  readonly abortSignal: AbortSignal
  /** Tells us the model of each step, so that its usage has a price. */
  readonly onStepStart: (step: { readonly provider: string; readonly modelId: string }) => void
}

/** The result of `streamText`, and of `stream` of an agent. */
export interface AiSdkResult {
  readonly stream: AsyncIterable<TextStreamPart<ToolSet>>
}

/** An agent of the AI SDK, such as a `ToolLoopAgent`. */
export interface AiSdkAgent {
  readonly tools?: ToolSet | undefined
  stream(call: AiSdkCall): PromiseLike<AiSdkResult>
}

/** A function that calls `streamText`. `request` has what is asked as Throughline keeps it. */
export type AiSdkFunction = (call: AiSdkCall, request: AgentRequest) => AiSdkResult | PromiseLike<AiSdkResult>

/**
 * Makes an agent of one that was written with the AI SDK: of a `ToolLoopAgent`, or of a function that calls `streamText`.
 * Text, reasoning, tool calls, results, errors and usage come through, and a stop reaches it as its `abortSignal`. The
 * options say how it is called and what it may use. In an object of agents, its name is its key.
 *
 * @public
 */
export function fromAiSdk(
  source: AiSdkAgent | AiSdkFunction,
  options: Omit<KeyedAgent, 'run'> = {},
): KeyedAgent {
  return {
    ...options,
    // A spread would read a getter only once.
    get isEnabled() {
      return options.isEnabled
    },
    run: request => runSource(source, request),
  }
}

async function* runSource(
  source: AiSdkAgent | AiSdkFunction,
  request: AgentRequest,
): AsyncGenerator<AgentEvent> {
  let model: string | undefined
  const tools = typeof source === 'function' ? undefined : source.tools
  const call: AiSdkCall = {
    messages: await modelMessages(request.messages, tools ?? {}),
    abortSignal: request.signal,
    onStepStart: step => {
      model = modelName(step)
    },
  }
  const { stream } = await (typeof source === 'function' ? source(call, request) : source.stream(call))
  yield* aiSdkEvents(refuseApprovals(stream), modelId => model ?? modelId)
}

/**
 * Fails where the AI SDK waits for an approval: it would end the answer and expect another request, and the call would
 * stay open forever.
 */
async function* refuseApprovals(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
): AsyncGenerator<TextStreamPart<ToolSet>> {
  for await (const part of stream) {
    if (part.type !== 'tool-approval-request' || part.isAutomatic === true) {
      yield part
      continue
    }
    const { toolCall } = part
    const error = new Error(
      `The tool "${toolCall.toolName}" asks for approval in the AI SDK's way, which does not work here. ` +
        'Put the tool into "tools" of throughline.config.ts, and name it in "approvals".',
    )
    yield { ...toolCall, type: 'tool-error', error }
    yield { type: 'error', error }
  }
}

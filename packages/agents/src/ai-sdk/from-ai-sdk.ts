import type { LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import type { KeyedAgent } from '../named-agent.ts'
import { aiSdkEvents, countsOf } from './ai-sdk-events.ts'
import { modelName } from './model-name.ts'
import { requestMessages } from './request-messages.ts'

/** A request to the agent, as options of the AI SDK. `streamText` takes them as they are: `streamText({ model, ...call })`. */
export interface AiSdkCall {
  /** The chat so far. It ends with the message that is answered. */
  readonly messages: ModelMessage[]
  /** Aborts when the agent is stopped. */
  readonly abortSignal: AbortSignal
  /** Tells us the model of each step, so that its usage has a price. */
  readonly onStepStart: (step: { readonly provider: string; readonly modelId: string }) => void
  /** Tells us what a model call has used before its tools begin. So a stop while a tool works does not lose it. */
  readonly onLanguageModelCallEnd: (end: { readonly usage: LanguageModelUsage }) => void
}

/** The result of `streamText`, and of `stream` of an agent. */
export interface AiSdkResult {
  /** The parts of the answer as they come. */
  readonly stream: AsyncIterable<TextStreamPart<ToolSet>>
}

/** An agent of the AI SDK, such as a `ToolLoopAgent`. */
export interface AiSdkAgent {
  /** Its tools. They say how earlier outputs of theirs are shown to the model. */
  readonly tools?: ToolSet | undefined
  /** Starts the agent. */
  stream(call: AiSdkCall): PromiseLike<AiSdkResult>
}

/**
 * A function that calls `streamText`, or `stream` of a `HarnessAgent` with a session. `request` is the same request in the
 * form of Throughline, with `UIMessage`s.
 */
export type AiSdkFunction = (call: AiSdkCall, request: AgentRequest) => AiSdkResult | PromiseLike<AiSdkResult>

/**
 * Makes an agent from a `ToolLoopAgent` of the AI SDK, or from a function that calls `streamText`. Text, reasoning, tool
 * calls, results, errors and usage become events. When the answer is stopped, `abortSignal` aborts. The options are the
 * other fields of an agent, such as `displayName` and `toolKeys`. In an object of agents, the key is its name.
 *
 * When a tool asks for approval in the way of the AI SDK (`needsApproval`), the answer fails with an error that says what
 * to do instead.
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
  // How many steps were counted whose ends have not come yet. A step that was not counted counts at its end.
  let counted = 0
  const call: AiSdkCall = {
    messages: await requestMessages(request, tools ?? {}),
    abortSignal: request.signal,
    onStepStart: step => {
      model = modelName(step)
    },
    onLanguageModelCallEnd: ({ usage }) => {
      if (request.countUsage === undefined || model === undefined) return
      request.countUsage(model, countsOf(usage))
      counted += 1
    },
  }
  const { stream } = await (typeof source === 'function' ? source(call, request) : source.stream(call))
  for await (const event of aiSdkEvents(refuseApprovals(stream), modelId => model ?? modelId)) {
    const isCounted = event.type === 'step-end' && counted > 0
    if (isCounted) counted -= 1
    yield isCounted ? { type: 'step-end' } : event
  }
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

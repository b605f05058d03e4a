import type { LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { askApproval, askOutput } from '../run/ask-person.ts'
import { NoOutput } from '../run/wait-for-output.ts'
import { toJsonValue } from '../values/json-value.ts'
import { aiSdkEvents, countsOf, modelName } from './ai-sdk-events.ts'
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
  /** What was added to the messages. Only needed when tools wait for approvals, or for the client. */
  readonly responseMessages?: PromiseLike<readonly ModelMessage[]> | undefined
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
 * Tools that need approval in the way of the AI SDK (`needsApproval`), and tools without `execute`, wait for the person and for
 * the client. The AI SDK ends its stream there, so `stream` is called again for the same answer, with the decisions and the
 * outputs in its messages.
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
  const tools = typeof source === 'function' ? {} : (source.tools ?? {})
  let messages = await requestMessages(request, tools)
  // How many steps were counted whose ends have not come yet. A step that was not counted counts at its end.
  let counted = 0
  const call: Omit<AiSdkCall, 'messages'> = {
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
  for (;;) {
    const outside = new OutsideCalls()
    const next = { ...call, messages }
    const result = await (typeof source === 'function' ? source(next, request) : source.stream(next))
    for await (const event of aiSdkEvents(outside.watch(result.stream), modelId => model ?? modelId)) {
      // The answer goes on after this.
      if (event.type === 'finish' && event.finishReason === 'tool-calls' && !outside.isEmpty) continue
      const isCounted = event.type === 'step-end' && counted > 0
      if (isCounted) counted -= 1
      yield isCounted ? { type: 'step-end' } : event
    }
    if (outside.isEmpty) return
    if (model?.startsWith('harness:')) {
      yield* outside.refuse(inHarness)
      return
    }
    if (result.responseMessages === undefined) {
      yield { type: 'error', error: new TypeError(withoutMessages) }
      return
    }
    const { content, events } = await outside.settle()
    yield* events
    messages = [...messages, ...(await result.responseMessages), { role: 'tool', content }]
  }
}

/** A harness goes on in its session, and not with messages. So nobody is asked for something that could not be used. */
const inHarness =
  'it asks for approval, or for its output, in the way of the AI SDK, which does not work in a HarnessAgent. Let the agent run its ' +
  'tools without asking.'

const withoutMessages =
  'The agent waits for a person or for its client, and its result has no "responseMessages" with which it could go on. ' +
  'Return the result of streamText as it is.'

type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']

/**
 * The calls of one stream of the AI SDK that it leaves to its caller. There are two kinds: calls that need approval, and
 * calls of tools without `execute`. The SDK ends the stream there, and goes on with the next one, whose messages have the
 * decisions and the outputs.
 */
class OutsideCalls {
  /** The calls without a result, by their ids. */
  readonly #open = new Map<string, ToolCall>()
  /** The SDK's ids of the approvals that calls wait for, by the ids of the calls. */
  readonly #approvals = new Map<string, string>()

  /** Passes on the parts of a stream, and takes note of its calls. */
  async *watch(stream: AsyncIterable<TextStreamPart<ToolSet>>): AsyncGenerator<TextStreamPart<ToolSet>> {
    for await (const part of stream) {
      this.#take(part)
      yield part
    }
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /**
   * Asks for what the calls need, all at the same time. The events of the calls must have been written. Returns what the SDK
   * is told, and the events of calls that have ended with that.
   */
  async settle(): Promise<{ readonly content: ToolContent; readonly events: readonly AgentEvent[] }> {
    const settled = await Promise.all([...this.#open.values()].map(call => this.#settleOne(call)))
    return {
      content: settled.map(({ part }) => part),
      events: settled.flatMap(({ event }) => (event === undefined ? [] : [event])),
    }
  }

  /** Returns the events with which the answer fails, because what the calls wait for cannot be given. */
  refuse(why: string): readonly AgentEvent[] {
    const calls = [...this.#open.values()]
    const errorOf = ({ toolName }: ToolCall) => `The tool "${toolName}" cannot run: ${why}`
    return [
      ...calls.map(call => ({ type: 'tool-error', ...call, errorText: errorOf(call) }) as const),
      ...calls.slice(0, 1).map(call => ({ type: 'error', error: new Error(errorOf(call)) }) as const),
    ]
  }

  #take(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case 'tool-call': {
        const { toolCallId, toolName, input, dynamic } = part
        if (part.invalid === true || part.providerExecuted === true) return
        this.#open.set(toolCallId, { toolCallId, toolName, input, dynamic: dynamic || undefined })
        return
      }
      case 'tool-result':
        if (part.preliminary !== true) this.#open.delete(part.toolCallId)
        return
      case 'tool-error':
      case 'tool-output-denied':
        this.#open.delete(part.toolCallId)
        return
      case 'tool-approval-request':
        // The SDK decides about some calls itself, by its own rules.
        if (part.isAutomatic !== true) this.#approvals.set(part.toolCall.toolCallId, part.approvalId)
        return
      default:
        return
    }
  }

  async #settleOne(call: ToolCall): Promise<{ part: ToolContent[number]; event?: AgentEvent }> {
    const { toolCallId, toolName } = call
    const approvalId = this.#approvals.get(toolCallId)
    if (approvalId !== undefined) {
      const decision = await askApproval(call)
      // The SDK runs the tool in its next stream, and its result comes from there.
      const { approved, reason } = decision
      return { part: { type: 'tool-approval-response', approvalId, approved, ...(reason && { reason }) } }
    }
    const outcome = await outputOf(call)
    return {
      part: {
        type: 'tool-result',
        toolCallId,
        toolName,
        output:
          outcome.type === 'tool-error'
            ? { type: 'error-text', value: outcome.errorText }
            : { type: 'json', value: JSON.parse(JSON.stringify(toJsonValue(outcome.output))) },
      },
      event: outcome,
    }
  }
}

async function outputOf(
  call: ToolCall,
): Promise<Extract<AgentEvent, { type: 'tool-result' | 'tool-error' }>> {
  try {
    return { type: 'tool-result', ...call, output: await askOutput({ ...call, from: 'client' }) }
  } catch (error) {
    if (!(error instanceof NoOutput)) throw error
    return { type: 'tool-error', ...call, errorText: error.message }
  }
}

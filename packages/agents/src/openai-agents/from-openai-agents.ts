import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent, TokenCounts, ToolCall } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { chatToGoOn, stepsTaken } from '../ai-sdk/request-messages.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-may-act.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import { inputItems } from './input-items.ts'
import { readCounts } from './model-response.ts'
import { RunReader } from './run-reader.ts'
import type { CallToApprove } from './shown-calls.ts'
import type { OpenAIAgent, OpenAIRunner, RunState } from './streamed-run.ts'

export interface FromOpenAIAgentsOptions extends Omit<KeyedAgent, 'run' | 'model'> {
  /** Runs the agent: `new Runner()` of the SDK. It has the model provider, the tracing and the guardrails. */
  readonly runner: OpenAIRunner
  /**
   * Returns what tools, instructions and guardrails get as `context.context`. Here `currentFrame()` says who asks. Called
   * once for each answer; no context by default.
   */
  readonly context?: ((request: AgentRequest) => unknown) | undefined
  /**
   * The model that usage is counted for, as `provider:model`. By default the model that OpenAI names in its events, or the
   * agent's `model` if that is a name; otherwise `unknown`, which has no price.
   */
  readonly usageModel?: string | undefined
}

/**
 * Makes an agent of one that was written with the OpenAI Agents SDK (`@openai/agents`). Text, reasoning, tool calls,
 * handoffs, approvals, errors and usage come through, and a stop reaches the model as its `signal`. In an object of agents,
 * its name is its key. Throws a `TypeError` without a runner.
 *
 * @public
 */
export function fromOpenAIAgents(agent: OpenAIAgent, options: FromOpenAIAgentsOptions): KeyedAgent {
  const { runner, context, usageModel, ...settings } = options
  if (typeof runner?.run !== 'function')
    throw new TypeError('fromOpenAIAgents needs a runner of @openai/agents: { runner: new Runner() }.')
  const source = { agent, runner, context, usageModel, maxSteps: settings.maxSteps }
  return {
    ...settings,
    // A spread would read a getter only once.
    get isEnabled() {
      return options.isEnabled
    },
    run: request => runSource(source, request),
  }
}

interface Source extends Pick<FromOpenAIAgentsOptions, 'runner' | 'context' | 'usageModel' | 'maxSteps'> {
  readonly agent: OpenAIAgent
}

async function* runSource(
  source: Source,
  request: AgentRequest,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { agent, runner, usageModel } = source
  const maxTurns = maxTurnsOf(source, request)
  if (maxTurns <= 0) {
    yield { type: 'finish', finishReason: 'tool-calls' }
    return
  }
  const frame = currentFrame()
  const usage = new RunUsage({ countUsage: request.countUsage ?? (() => undefined), model: usageModel })
  const reader = new RunReader({ agent, countUsage: (counts, model) => usage.add(counts, model) })
  try {
    const options = {
      stream: true,
      signal: request.signal,
      maxTurns,
      context: source.context?.(request),
    } as const
    for (let input: unknown = inputItems(chatToGoOn(request)); ; ) {
      const run = await runner.run(agent, input, options)
      try {
        for await (const event of run) for (const each of reader.read(event)) yield each
      } finally {
        usage.addRest(run.state.usage, reader.openModel)
      }
      // The stream of a run that was stopped ends like any other.
      if (request.signal.aborted) return
      if (run.interruptions.length === 0) {
        for (const each of reader.finish(run.finalOutput)) yield each
        return
      }
      const { calls, events } = reader.calls.wait(run.interruptions)
      for (const each of events) yield each
      await askApprovals(frame, run.state, calls)
      // With its state as the input, the run goes on where it waits.
      input = run.state
    }
  } catch (error) {
    for (const each of reader.fail(error)) yield each
  }
}

/** Over all attempts of an answer. */
function maxTurnsOf(source: Source, { answerSoFar }: AgentRequest): number {
  const { maxSteps } = currentFrame().run.limits
  return Math.min(source.maxSteps ?? maxSteps, maxSteps) - stepsTaken(answerSoFar)
}

interface RunUsageOptions {
  readonly countUsage: (model: string, counts: TokenCounts) => void
  /** The model that everything is counted for. By default each call is counted for the model that it names. */
  readonly model?: string | undefined
}

/** Counts the tokens of one run. */
class RunUsage {
  readonly #options: RunUsageOptions
  #counted = { inputTokens: 0, outputTokens: 0 }

  constructor(options: RunUsageOptions) {
    this.#options = options
  }

  /** Counts one model call. */
  add(counts: TokenCounts, model = 'unknown'): void {
    this.#counted = {
      inputTokens: this.#counted.inputTokens + counts.inputTokens,
      outputTokens: this.#counted.outputTokens + counts.outputTokens,
    }
    this.#options.countUsage(this.#options.model ?? model, counts)
  }

  /**
   * Counts what is in the run's total and has not been counted: a model call that failed, and the model calls of agents that
   * work as tools. The total does not say which models these used.
   */
  addRest(total: unknown, model: string | undefined): void {
    const { inputTokens = 0, outputTokens = 0 } = readCounts(total) ?? {}
    const input = Math.max(0, inputTokens - this.#counted.inputTokens)
    const output = Math.max(0, outputTokens - this.#counted.outputTokens)
    if (input + output === 0) return
    this.add({ inputTokens: input, outputTokens: output, totalTokens: input + output }, model)
  }
}

/**
 * Waits until a person has decided about each of these calls, and tells the run. All of them are asked for at once. The
 * events of the calls must have been written. Throws the signal's reason after a stop.
 */
async function askApprovals(
  frame: AgentFrame,
  state: RunState,
  calls: readonly CallToApprove[],
): Promise<void> {
  await Promise.all(
    calls.map(async ({ item, call }) => {
      const refusal = call === undefined ? unreadable : await refusalOf(frame, call)
      if (refusal === undefined) state.approve(item)
      else state.reject(item, { message: refusal })
    }),
  )
}

const unreadable = 'This call cannot be shown to a person, so nobody can approve it.'

/** Returns why the call is refused, for the model; `undefined` when a person has approved it. */
async function refusalOf(frame: AgentFrame, call: ToolCall): Promise<string | undefined> {
  const callId = await frame.writer.called(call.toolCallId, call.toolName)
  const problem = problemOf(call.input, frame.run.limits.maxToolOutputBytes)
  if (problem !== undefined) return problem
  try {
    await waitForApproval({ ...frame, callId }, call)
    return undefined
  } catch (error) {
    if (error instanceof ToolDenied) return error.message
    throw error
  }
}

/** Returns why the input cannot be shown in full; `undefined` when it can. */
function problemOf(input: unknown, maxBytes: number): string | undefined {
  try {
    assertShown(input, maxBytes)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

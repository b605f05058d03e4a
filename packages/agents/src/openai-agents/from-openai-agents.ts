import type { AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import type { KeyedAgent } from '../named-agent.ts'
import { currentFrame } from '../run/agent-frame.ts'
import { askApprovals } from './ask-approvals.ts'
import { inputItems } from './input-items.ts'
import { RunReader } from './run-reader.ts'
import { RunUsage } from './run-usage.ts'
import type { OpenAIAgent, OpenAIRunner, RunOptions } from './streamed-run.ts'

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
  const frame = currentFrame()
  const usage = new RunUsage({ countUsage: request.countUsage ?? (() => undefined), model: usageModel })
  const reader = new RunReader({ agent, countUsage: (counts, model) => usage.add(counts, model) })
  try {
    const options = runOptions(source, request)
    for (let input: unknown = inputItems(request.messages); ; ) {
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

function runOptions(source: Source, request: AgentRequest): RunOptions {
  const { maxSteps } = currentFrame().run.limits
  return {
    stream: true,
    signal: request.signal,
    maxTurns: Math.min(source.maxSteps ?? maxSteps, maxSteps),
    context: source.context?.(request),
  }
}

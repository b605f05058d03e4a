import type { AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import type { KeyedAgent } from '../named-agent.ts'
import type { MastraAgent, MastraCall } from './mastra-agent.ts'
import { resumeAfterApproval } from './mastra-approval.ts'
import type { WaitingCall } from './mastra-chunk.ts'
import { mastraEvents } from './mastra-events.ts'
import { recalled, type ThreadOf, threadOfChat } from './mastra-memory.ts'
import { mastraMessages } from './mastra-messages.ts'

export interface FromMastraOptions extends Omit<KeyedAgent, 'run'> {
  /**
   * Whether the agent's own memory is used; false by default. Without it, the agent reads the whole chat. With it, the
   * agent gets only the new message, and Mastra adds what it remembers. A function says which thread a chat is; by
   * default the thread is `OWNER/CHAT`, and the resource is the owner.
   */
  readonly memory?: boolean | ThreadOf | undefined
}

/**
 * Makes an agent of a Mastra `Agent`. Text, reasoning, tool calls, results, errors and usage come through, a stop aborts
 * the run, and tools with `requireApproval` wait for a person. The name for people and the description are Mastra's, unless
 * the options have others. In an object of agents, its name is its key. Throws a `TypeError` when `memory` is used and
 * the agent has none.
 *
 * @public
 */
export function fromMastra(agent: MastraAgent, options: FromMastraOptions = {}): KeyedAgent {
  const { memory = false, ...fields } = options
  if (memory !== false && !agent.hasOwnMemory())
    throw new TypeError(
      `fromMastra: the agent "${agent.name}" has no memory. Make it with "memory: new Memory({ … })", or leave out "memory" here.`,
    )
  return {
    displayName: agent.name,
    description: agent.getDescription() || undefined,
    ...fields,
    // A spread would read a getter only once.
    get isEnabled() {
      return options.isEnabled
    },
    run: request => runMastra(agent, options, request),
  }
}

async function* runMastra(
  agent: MastraAgent,
  { memory = false, maxSteps }: FromMastraOptions,
  request: AgentRequest,
): AsyncGenerator<AgentEvent, void, undefined> {
  const call: MastraCall = { abortSignal: request.signal, ...(maxSteps !== undefined && { maxSteps }) }
  const { messages, ...thread } = asked(request, memory)
  let output = await agent.stream(messages, { ...call, ...thread })
  /** The names of the tools that were called, by the id of the call. */
  const called = new Map<string, string>()
  for (;;) {
    let waiting: Waiting | undefined
    for await (const event of mastraEvents(output.fullStream)) {
      if (event.type === 'usage') request.countUsage?.(event.model, event.usage)
      else if (event.type === 'waiting') waiting ??= event
      else yield event
      if (event.type === 'tool-call') called.set(event.toolCallId, event.toolName)
    }
    if (waiting === undefined) return
    const problem = problemOf(agent, waiting, called)
    if (problem !== undefined) return yield* failed(waiting.call, problem)
    output = await resumeAfterApproval({ agent, runId: output.runId, call }, waiting.call)
  }
}

function asked({ messages }: AgentRequest, memory: NonNullable<FromMastraOptions['memory']>) {
  const chat = mastraMessages(messages)
  if (memory === false) return { messages: chat }
  return recalled(memory === true ? threadOfChat : memory, chat)
}

interface Waiting {
  readonly for: 'approval' | 'data'
  readonly call: WaitingCall
}

/** Returns why a run that Mastra has suspended cannot go on, and what to do; `undefined` when a person can be asked. */
function problemOf(
  agent: MastraAgent,
  { for: what, call: { toolCallId, toolName } }: Waiting,
  called: ReadonlyMap<string, string>,
): string | undefined {
  if (what === 'data')
    return `The tool "${toolName}" has called suspend(), and nobody can resume it here. Let the tool return what it needs to know as its result, or give it requireApproval.`
  if (agent.getMastraInstance() === undefined)
    return `The tool "${toolName}" needs approval, and Mastra can resume only an agent that is registered. Write new Mastra({ agents: { … } }) with the agent in it.`
  // The page would show the call of the sub-agent in place of the call to approve.
  if (called.get(toolCallId) !== toolName)
    return `The tool "${toolName}" of a sub-agent in Mastra needs approval, which can be asked only for the agent's own tools. Give the tool to the agent itself.`
  return undefined
}

function* failed(
  { toolCallId, toolName, args: input }: WaitingCall,
  errorText: string,
): Generator<AgentEvent> {
  yield { type: 'tool-error', toolCallId, toolName, input, errorText }
  yield { type: 'error', error: new Error(errorText) }
}

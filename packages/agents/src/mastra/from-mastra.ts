import { defined } from '@throughline/protocol/internal'
import type { AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import type { KeyedAgent } from '../agent/named-agent.ts'
import { chatToGoOn, stepsTaken } from '../ai-sdk/request-messages.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-may-act.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import type { MastraAgent, MastraCall, MastraOutput, MastraThread } from './mastra-agent.ts'
import type { SuspendedCall } from './mastra-chunk.ts'
import { mastraEvents } from './mastra-events.ts'
import { type MastraMessage, mastraMessages } from './mastra-messages.ts'

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
  if (memory !== false && options.continues === true)
    throw new TypeError(
      `fromMastra: "continues" of the agent "${agent.name}" does not work with "memory", because Mastra remembers only whole answers. Leave out one of the two.`,
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
  const stepsLeft = maxSteps === undefined ? undefined : maxSteps - stepsTaken(request.answerSoFar)
  if (stepsLeft !== undefined && stepsLeft <= 0) {
    yield { type: 'finish', finishReason: 'tool-calls' }
    return
  }
  const call: MastraCall = {
    abortSignal: request.signal,
    ...defined({ maxSteps: stepsLeft }),
  }
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

function asked(request: AgentRequest, memory: NonNullable<FromMastraOptions['memory']>) {
  const chat = mastraMessages(chatToGoOn(request))
  if (memory === false) return { messages: chat }
  return recalled(memory === true ? threadOfChat : memory, chat)
}

interface Waiting {
  readonly for: 'approval' | 'data'
  readonly call: SuspendedCall
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
  { toolCallId, toolName, args: input }: SuspendedCall,
  errorText: string,
): Generator<AgentEvent> {
  yield { type: 'tool-error', toolCallId, toolName, input, errorText }
  yield { type: 'error', error: new Error(errorText) }
}

/** A run of Mastra that is suspended. */
interface SuspendedRun {
  readonly agent: MastraAgent
  readonly runId: string
  /** The options with which the run goes on. */
  readonly call: MastraCall
}

/** Asks a person about a call for which Mastra has suspended the run, and resumes the run with the decision. */
async function resumeAfterApproval(
  { agent, runId, call }: SuspendedRun,
  { toolCallId, toolName, args: input }: SuspendedCall,
): Promise<MastraOutput> {
  const caller = currentFrame()
  const frame = { ...caller, callId: await caller.writer.called(toolCallId, toolName) }
  const reason = await refusalOf(frame, { toolCallId, toolName, input })
  return reason === undefined
    ? agent.approveToolCall({ ...call, runId, toolCallId })
    : agent.declineToolCall({ ...call, runId, toolCallId, reason })
}

/** Returns why the call may not be carried out, for the model; `undefined` when a person has approved it. */
async function refusalOf(frame: AgentFrame, question: ApprovalQuestion): Promise<string | undefined> {
  try {
    assertShown(question.input, frame.run.limits.maxToolOutputBytes)
  } catch (error) {
    const errorText = error instanceof Error ? error.message : 'The input cannot be shown.'
    await frame.writer.write({ type: 'tool-error', ...question, errorText })
    return errorText
  }
  try {
    await waitForApproval(frame, question)
    return undefined
  } catch (error) {
    if (error instanceof ToolDenied) return error.message
    throw error
  }
}

/** A chat as Throughline knows it. */
export interface RememberedChat {
  readonly ownerId: string
  /** Unique for its owner only: two owners may use the same id. */
  readonly chatId: string
}

/** Returns the thread of Mastra's memory that belongs to a chat. */
export type ThreadOf = (chat: RememberedChat) => MastraThread

/**
 * The default. In Mastra the ids of threads are global, and Mastra does not check whose a thread is. So the owner is a
 * part of the id: two owners who use the same chat id do not meet. No id of ours contains "/".
 */
const threadOfChat: ThreadOf = ({ ownerId, chatId }) => ({
  thread: `${ownerId}/${chatId}`,
  resource: ownerId,
})

interface Recalled {
  readonly memory: MastraThread
  readonly messages: MastraMessage[]
}

/**
 * Returns the thread of the chat in which this is called, and what Mastra does not remember yet: the message to answer.
 * A delegated task is a thread of its own. The ids of messages are global in Mastra, too, so the thread is a part of them.
 */
function recalled(threadOf: ThreadOf, messages: readonly MastraMessage[]): Recalled {
  const { run, agent, messageId } = currentFrame()
  const chat = threadOf({ ownerId: run.ownerId, chatId: run.chatId })
  const thread = agent.depth === 0 ? chat.thread : `${chat.thread}/${messageId}`
  const question = messages.slice(-1).map(message => ({ ...message, id: `${thread}/${message.id}` }))
  return { memory: { thread, resource: chat.resource }, messages: question }
}

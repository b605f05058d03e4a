import {
  isToolPart,
  type Message,
  type MessageId,
  type MessageRecord,
  messageOf,
  type ToolPart,
  toolNameOf,
  truncatedIn,
} from '@throughline/protocol'
import { outcomeUnknownText, serverSentence, untilAborted } from '@throughline/protocol/internal'
import type { Agent } from '../agent/agent.ts'
import type { ToolCall } from '../agent/agent-event.ts'
import { definitionOf, runSubAgent, type SubAgentResult, taskMessage } from '../delegation/delegate.ts'
import { findAllowed } from '../delegation/guard-call.ts'
import { subAgentCallSchema } from '../delegation/sub-agent-tool.ts'
import { type AgentFrame, inFrame } from '../run/agent-frame.ts'
import type { CutMessage } from '../run/open-frame.ts'
import { type AgentOutcome, runAgent } from '../run/run-agent.ts'
import { runsOutside, subAgentToolKey } from '../run/tool-factory-registry.ts'
import { factoryOf, toolSetOf } from '../run/wrap-tool.ts'
import { callOf, openCalls } from './close-cut-message.ts'
import { cutSubAgentResult, notBegun } from './cut-sub-agent.ts'

/** What an agent goes on with. */
export interface Continuing {
  /** What the agent was asked: for a master the chat without the answer, for a sub-agent its task. */
  readonly messages: readonly Message[]
  /** The beginning of its message. */
  readonly cut: CutMessage
  readonly earlier: EarlierWork
  /** See `runAgent`. */
  readonly retriesEmpty?: boolean
}

/** What an earlier attempt of a run has left in the log. The process of that attempt has died. */
export interface EarlierWork {
  /** Returns the message of the sub-agent that a call has asked; `undefined` when the sub-agent had not begun. */
  askedBy(caller: MessageId, toolCallId: string): MessageRecord | undefined
  /** Returns whether the end of a message is in the log. */
  hasEnded(id: MessageId): boolean
  /** Closes what was being written in a message, and shows there that it goes on. */
  goOn(id: MessageId): Promise<CutMessage>
  /**
   * Ends the message of a sub-agent as interrupted, and the messages of the sub-agents below it. Nobody waits any more for
   * the approvals of their calls. Returns the message after that.
   */
  interrupt(id: MessageId, text: string): Promise<MessageRecord>
  /** Returns a message with everything that was written before. */
  messageNow(id: MessageId): Promise<MessageRecord>
}

/**
 * Lets an agent go on with a message whose process died. First every call without a result is settled, and the step that was
 * cut is ended. Sub-agents that were at work go on in the same way, to any depth. Then the agent writes what comes after the
 * beginning of the message. If its model had said everything, only the end is written.
 */
export async function continueAgent(
  agent: Agent,
  frame: AgentFrame,
  { messages, cut, earlier, retriesEmpty = false }: Continuing,
): Promise<AgentOutcome> {
  const { writer, signal, messageId } = frame
  const open = openCalls(cut.record)
  const follows = agent.continues === 'by-following'
  if (!follows) await Promise.all(open.map(part => settle(frame, part, earlier)))
  // Readers look for a call only in the newest step. So a step with open calls is not over.
  const isStepOver = !follows || open.length === 0
  if (cut.isInStep && isStepOver && !signal.aborted) await writer.write({ type: 'step-end' })
  const answerSoFar = messageOf(await earlier.messageNow(messageId))
  const next = cut.isComplete && !follows ? saysNoMore(agent) : agent
  return runAgent(next, frame, { messages, answerSoFar, retriesEmpty })
}

async function settle(frame: AgentFrame, part: ToolPart, earlier: EarlierWork): Promise<void> {
  if (toolNameOf(part) !== subAgentToolKey) return settleCall(frame, part)
  const asked = earlier.askedBy(frame.messageId, part.toolCallId)
  if (asked === undefined) return settleCall(frame, part)
  const output = await subAgentResult(frame, part, { asked, earlier })
  // After a stop, the end of the message closes the call.
  if (!frame.signal.aborted)
    await frame.writer.write({ type: 'tool-result', ...callOf(part, subAgentToolKey), output })
}

interface Asked {
  /** The message of the sub-agent. */
  readonly asked: MessageRecord
  readonly earlier: EarlierWork
}

/** Resolves when the sub-agent has ended. It may have ended before its process died: then it is not run again. */
async function subAgentResult(
  caller: AgentFrame,
  part: ToolPart,
  { asked, earlier }: Asked,
): Promise<SubAgentResult> {
  if (earlier.hasEnded(asked.id)) return cutSubAgentResult(asked)
  const call = subAgentCallSchema.safeParse(part.input).data
  const { agent, problem } = await agentOf(caller, asked)
  if (agent === undefined || call === undefined)
    return cutSubAgentResult(await earlier.interrupt(asked.id, problem))
  const cut = await earlier.goOn(asked.id)
  return runSubAgent(caller, {
    agent,
    call,
    messageId: asked.id,
    callPrefix: callPrefixOf(cut.record),
    cut,
    work: frame =>
      continueAgent(agent, frame, { messages: [taskMessage(call)], cut, earlier, retriesEmpty: true }),
  })
}

interface FoundAgent {
  /** `undefined` when it cannot go on. */
  readonly agent?: Agent
  /** Why not. */
  readonly problem: string
}

/** Finds the agent of a message that was cut. It goes on only if it is still the same, and its caller may still ask it. */
async function agentOf(caller: AgentFrame, { metadata }: MessageRecord): Promise<FoundAgent> {
  const { name = '', displayName = '' } = metadata?.agent ?? {}
  // A message that nobody writes must end, also when the definition cannot be read.
  const found = await findAllowed(caller, name).catch(() => undefined)
  if (found?.type !== 'allowed')
    return { problem: serverSentence('restarted-agent-gone', { agent: displayName }) }
  const { agent } = found
  const [then, now] = [metadata?.agentDefinition, definitionOf(agent)]
  if (then?.id !== now?.id || then?.version !== now?.version)
    return { problem: serverSentence('restarted-agent-changed', { agent: displayName }) }
  const problem = serverSentence('restarted')
  return agent.continues ? { agent, problem } : { problem }
}

/** Returns what stands before the ids of the calls of a message. A message without calls gets a prefix that no other has. */
function callPrefixOf(record: MessageRecord): string {
  const first = messageOf(record).parts.find(isToolPart)
  return `${first?.toolCallId.split(':', 1)[0] ?? record.id}:`
}

function saysNoMore({ name, displayName }: Agent): Agent {
  return {
    name,
    displayName,
    async *run() {
      yield { type: 'finish', finishReason: 'stop' }
    },
  }
}

/**
 * Settles a call that had no result when its process died:
 * - A call that waits for a person goes on waiting, and runs when it is approved.
 * - So does a call that waits for its output from the client's side.
 * - A call of an idempotent tool is repeated under the same id.
 * - A call that asks a sub-agent is made now. The sub-agent had not begun.
 * - Any other call gets an error that says that its outcome is unknown.
 *
 * Resolves when the call has ended, or when the agent is stopped. Rejects only when a chunk cannot be written.
 */
async function settleCall(frame: AgentFrame, part: ToolPart): Promise<void> {
  const { writer, signal } = frame
  const call = callOf(part, toolNameOf(part))
  if (part.approval?.approved === false)
    return writer.write({ type: 'tool-denied', toolCallId: call.toolCallId })
  if (!mayRun(frame, part)) return writer.write({ ...call, ...unsettled(call) })
  const outcome = await run(frame, part).then(
    output => ({ type: 'tool-result', ...call, output }) as const,
    error => ({ type: 'tool-error', ...call, errorText: reasonOf(error) }) as const,
  )
  // After a stop, the end of the answer closes the call.
  if (!signal.aborted) await writer.write(outcome)
}

/** A tool begins after its approval is in the log. So a call whose approval is still asked for has not begun. */
function mayRun({ run, toolKeys }: AgentFrame, part: ToolPart): boolean {
  const key = toolNameOf(part)
  const factory = toolKeys.has(key) ? factoryOf(run, key) : undefined
  if (factory === undefined || part.providerExecuted === true) return false
  if (truncatedIn(part.input) !== undefined) return false
  if (part.state === 'approval-requested' || key === subAgentToolKey) return true
  return factory.idempotent === true || runsOutside(factory.make())
}

/** Returns how a call ends that is not made again. A call that asks a sub-agent has no effect of its own. */
function unsettled({ toolName }: ToolCall) {
  return toolName === subAgentToolKey
    ? ({ type: 'tool-result', output: notBegun } as const)
    : ({ type: 'tool-error', errorText: outcomeUnknownText } as const)
}

async function run(frame: AgentFrame, part: ToolPart): Promise<unknown> {
  const { toolCallId, input, approval } = part
  const { signal } = frame
  const execute = toolSetOf(frame)[toolNameOf(part)]?.execute
  if (execute === undefined) throw new Error('The tool can no longer be called.')
  frame.writer.callAgain(toolCallId)
  const earlierApproval = approval && { id: approval.id, isApproved: approval.approved === true }
  const options = { toolCallId, messages: [], abortSignal: signal, context: {} }
  const output = inFrame({ ...frame, earlierApproval }, async () => execute(input, options))
  return untilAborted(output, signal)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import {
  type DefinitionVersion,
  type Message,
  type MessageId,
  type MessageMetadata,
  messageOf,
} from '@throughline/protocol'
import { serverSentence, shorten } from '@throughline/protocol/internal'
import type { Agent } from '../agent/agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'
import { type CutMessage, openSubAgentFrame } from '../run/open-frame.ts'
import type { Mode } from '../run/request-context.ts'
import { type AgentOutcome, runAgent } from '../run/run-agent.ts'
import { RunStopped } from '../run/run-stopped.ts'
import { BaseAgent } from './base-agent.ts'
import { Conclusion } from './conclusion.ts'
import { guardCall, type Refusal } from './guard-call.ts'

/** The input of the tool `subAgent`: who is asked, and what. */
export interface SubAgentCall {
  /** The name of the sub-agent. */
  readonly name: string
  readonly task: string
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly options?: { readonly mode?: Mode | undefined } | undefined
}

/** What the caller's model reads. A person reads the sub-agent's own message, whose id is `messageId`. */
export type SubAgentResult =
  | { readonly ok: true; readonly messageId: string; readonly summary: string }
  | {
      readonly ok: false
      readonly code: 'FAILED' | 'STOPPED' | 'INTERRUPTED' | 'LIMIT' | 'EMPTY'
      readonly message: string
      readonly messageId: string
      /** What the sub-agent had said last. */
      readonly summary: string
    }
  | Refusal

/** How much of what a sub-agent said its caller's model reads, in characters. */
export const maxSummaryChars = 8_000

/**
 * Runs a sub-agent into the same log, in a message of its own, and waits for its end. `parentCallId` is the id of the
 * caller's tool call as it stands on the stream. The call has been written by now.
 */
export async function delegate(
  caller: AgentFrame,
  call: SubAgentCall,
  parentCallId: string,
): Promise<SubAgentResult> {
  const guarded = await guardCall(caller, call.name)
  if (guarded.type === 'refused') return guarded.refusal
  const { agent, number } = guarded
  const messageId = await caller.run.newMessageId()
  // The run may have ended while the sub-agent was looked up. Then nothing may begin any more.
  caller.signal.throwIfAborted()
  return runSubAgent(caller, {
    agent,
    call,
    messageId,
    callPrefix: `${number}:`,
    async work(frame) {
      const metadata = startMetadata(caller, frame, parentCallId)
      const agentDefinition = definitionOf(agent)
      await frame.writer.start({ ...metadata, ...(agentDefinition && { agentDefinition }) })
      return runAgent(agent, frame, { messages: [taskMessage(call)], retriesEmpty: true })
    },
  })
}

/** What a sub-agent works on. */
export interface Assignment {
  readonly agent: Agent
  readonly call: SubAgentCall
  /** The id of its message. */
  readonly messageId: MessageId
  /** Stands before the ids of its tool calls, so that no two agents of a run use the same id. */
  readonly callPrefix: string
  /** The beginning of its message, when the run goes on after a crash. */
  readonly cut?: CutMessage
  /** Writes the message to its end. */
  work(frame: AgentFrame): Promise<AgentOutcome>
}

/** Opens the frame of a sub-agent, lets it work there, and returns its result. */
export async function runSubAgent(caller: AgentFrame, assignment: Assignment): Promise<SubAgentResult> {
  const working = workInTime(caller, assignment)
  caller.delegated.add(working)
  try {
    return await working
  } finally {
    caller.delegated.delete(working)
  }
}

async function workInTime(
  caller: AgentFrame,
  { agent, call, messageId, callPrefix, cut, work }: Assignment,
): Promise<SubAgentResult> {
  const { run } = caller
  const timeUp = new AbortController()
  const timer = setTimeout(
    () => timeUp.abort(new RunStopped('limit', serverSentence('agent-slow', { agent: agent.displayName }))),
    run.limits.maxChildMs - (cut?.workedMs ?? 0),
  )
  try {
    const conclusion = new Conclusion()
    if (cut !== undefined) conclusion.addMessage(messageOf(cut.record))
    const frame = openSubAgentFrame(caller, agent, {
      messageId,
      signal: AbortSignal.any([caller.signal, timeUp.signal]),
      mode: call.options?.mode,
      callPrefix,
      onChunk: chunk => conclusion.add(chunk),
      cut,
    })
    const outcome = await work(frame)
    await run.save(messageId)
    return subAgentResultOf(messageId, outcome, conclusion.text)
  } finally {
    clearTimeout(timer)
  }
}

function startMetadata(caller: AgentFrame, frame: AgentFrame, parentCallId: string): MessageMetadata {
  const { agent, messageId, run } = frame
  return {
    status: 'streaming',
    createdAt: run.now().toISOString(),
    senderName: agent.displayName,
    receiverName: caller.agent.displayName,
    communicationType: 'agent-to-agent',
    agentUsed: agent.name,
    originalMessageId: messageId,
    agent,
    parent: { messageId: caller.messageId, toolCallId: parentCallId },
  }
}

/** Returns which version of which definition an agent is; `undefined` for an agent in code. */
export function definitionOf(agent: Agent): DefinitionVersion | undefined {
  return agent instanceof BaseAgent ? agent.definition : undefined
}

/** Returns the task as the sub-agent reads it. The sub-agent sees nothing else of the conversation. */
export function taskMessage({ task, context }: SubAgentCall): Message {
  const facts = context === undefined ? '' : `\n\nContext:\n${JSON.stringify(context, null, 2)}`
  return { id: 'task', role: 'user', parts: [{ type: 'text', text: task + facts }] }
}

/** Returns what the caller's model reads about a sub-agent that has ended. */
export function subAgentResultOf(
  messageId: string,
  { status, text }: AgentOutcome,
  conclusion: string,
): SubAgentResult {
  const summary = shorten(conclusion, maxSummaryChars, '… (shortened; the user sees all of it)')
  switch (status) {
    case 'finished':
      if (summary !== '') return { ok: true, messageId, summary }
      return { ok: false, code: 'EMPTY', message: text ?? 'The agent said nothing.', messageId, summary }
    case 'failed':
      return { ok: false, code: 'FAILED', message: text ?? 'The agent failed.', messageId, summary }
    case 'limit':
      return { ok: false, code: 'LIMIT', message: text ?? 'The agent reached a limit.', messageId, summary }
    case 'stopped':
    case 'interrupted':
      return { ok: false, code: 'STOPPED', message: text ?? 'The agent was stopped.', messageId, summary }
  }
}

import type { Message, MessageMetadata } from '@throughline/protocol'
import { serverSentence, shorten } from '@throughline/protocol/internal'
import type { AgentFrame } from '../run/agent-frame.ts'
import type { Mode } from '../run/mode.ts'
import { openSubAgentFrame } from '../run/open-frame.ts'
import { type AgentOutcome, runAgent } from '../run/run-agent.ts'
import { RunStopped } from '../run/run-stopped.ts'
import { Conclusion } from './conclusion.ts'
import { type AllowedCall, guardCall, type Refusal } from './guard-call.ts'

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
  // The run may have ended while the sub-agent was looked up. Then nothing may begin any more.
  caller.signal.throwIfAborted()
  const work = runSubAgent(caller, guarded, { call, parentCallId })
  caller.delegated.add(work)
  try {
    return await work
  } finally {
    caller.delegated.delete(work)
  }
}

interface Assignment {
  readonly call: SubAgentCall
  readonly parentCallId: string
}

async function runSubAgent(
  caller: AgentFrame,
  { agent, number }: AllowedCall,
  { call, parentCallId }: Assignment,
): Promise<SubAgentResult> {
  const { run } = caller
  const timeUp = new AbortController()
  const timer = setTimeout(
    () => timeUp.abort(new RunStopped('limit', serverSentence('agent-slow', { agent: agent.displayName }))),
    run.limits.maxChildMs,
  )
  try {
    const conclusion = new Conclusion()
    const frame = openSubAgentFrame(caller, agent, {
      messageId: await run.newMessageId(),
      signal: AbortSignal.any([caller.signal, timeUp.signal]),
      mode: call.options?.mode,
      callPrefix: `${number}:`,
      onChunk: chunk => conclusion.add(chunk),
    })
    await frame.writer.start(startMetadata(caller, frame, parentCallId))
    const outcome = await runAgent(agent, frame, { messages: [taskMessage(call)], retriesEmpty: true })
    await run.save(frame.messageId)
    return resultOf(frame.messageId, outcome, conclusion.text)
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

/** Returns the task as the sub-agent reads it. The sub-agent sees nothing else of the conversation. */
function taskMessage({ task, context }: SubAgentCall): Message {
  const facts = context === undefined ? '' : `\n\nContext:\n${JSON.stringify(context, null, 2)}`
  return { id: 'task', role: 'user', parts: [{ type: 'text', text: task + facts }] }
}

/** Returns what the caller's model reads about a sub-agent that has ended. */
export function resultOf(
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

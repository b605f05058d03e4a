import type { MessageId } from '@throughline/protocol/ids'
import type { Message } from '@throughline/protocol/message'
import type { Agent } from '../agent.ts'
import { type AgentFrame, inFrame } from '../run/agent-frame.ts'
import { type Mode, narrowed } from '../run/mode.ts'
import { openFrame } from '../run/open-frame.ts'
import { type AgentOutcome, runAgent } from '../run/run-agent.ts'
import { RunStopped } from '../run/run-stopped.ts'
import { Conclusion } from './conclusion.ts'
import { guardCall, type Refusal } from './guard-call.ts'
import type { SubAgent } from './sub-agent.ts'

export interface SubAgentCall {
  readonly name: string
  readonly task: string
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly options?: { readonly mode?: Mode | undefined } | undefined
}

/** What the caller's model reads. A person reads the sub-agent's own message, which `messageId` names. */
export type SubAgentResult =
  | { readonly ok: true; readonly messageId: string; readonly summary: string }
  | {
      readonly ok: false
      readonly code: 'FAILED' | 'STOPPED' | 'LIMIT' | 'EMPTY'
      readonly message: string
      readonly messageId: string
      /** What it had said last by then. */
      readonly summary: string
    }
  | Refusal

const maxSummaryChars = 8_000

/**
 * Runs a sub-agent into the same log under a message of its own, and waits for its end. `parentCallId` is the call for
 * which it works, as readers see it on the stream; the call has been written already.
 */
export async function delegate(
  caller: AgentFrame,
  call: SubAgentCall,
  parentCallId: string,
): Promise<SubAgentResult> {
  const guarded = await guardCall(caller, call.name)
  if (guarded.type === 'refused') return guarded.refusal
  // The run may have ended while the sub-agent was looked up: what began now would come after the end.
  caller.signal.throwIfAborted()
  const work = runChild(caller, guarded.subAgent, { call, parentCallId, number: guarded.number })
  caller.children.add(work)
  try {
    return await work
  } finally {
    caller.children.delete(work)
  }
}

interface Assignment {
  readonly call: SubAgentCall
  readonly parentCallId: string
  readonly number: number
}

async function runChild(
  caller: AgentFrame,
  subAgent: SubAgent,
  { call, parentCallId, number }: Assignment,
): Promise<SubAgentResult> {
  const { run } = caller
  const timeUp = new AbortController()
  const timer = setTimeout(
    () => timeUp.abort(new RunStopped('limit', `${subAgent.displayName} took too long.`)),
    run.limits.maxChildMs,
  )
  const signal = AbortSignal.any([caller.signal, timeUp.signal])
  try {
    const messageId = await run.newMessageId()
    const conclusion = new Conclusion()
    const mode = call.options?.mode
    const frame = childFrame(caller, subAgent, { messageId, mode, signal, number, conclusion })
    await frame.writer.start({
      status: 'streaming',
      createdAt: run.now().toISOString(),
      senderName: subAgent.displayName,
      receiverName: caller.agent.displayName,
      communicationType: 'agent-to-agent',
      agentUsed: subAgent.name,
      originalMessageId: messageId,
      agent: frame.agent,
      parent: { messageId: caller.messageId, toolCallId: parentCallId },
    })
    const request = { messages: [taskMessage(call)], signal, frame }
    const work = {
      writer: frame.writer,
      ledger: frame.ledger,
      settled: () => Promise.allSettled(frame.children),
      retriesEmpty: true,
    }
    const outcome = await inFrame(frame, () => runAgent(builtWhenRun(subAgent, frame), request, work))
    await run.save(frame.messageId)
    return resultOf(messageId, outcome, conclusion.text)
  } finally {
    clearTimeout(timer)
  }
}

// The message has begun by then, so an agent that cannot be built fails like one that breaks off: with an end.
function builtWhenRun(subAgent: SubAgent, frame: AgentFrame): Agent {
  const { name, displayName } = subAgent
  return { name, displayName, run: request => subAgent.buildAgent(frame).run(request) }
}

interface ChildOptions {
  readonly messageId: MessageId
  readonly mode: Mode | undefined
  readonly signal: AbortSignal
  readonly number: number
  /** Hears what the sub-agent says. */
  readonly conclusion: Conclusion
}

function childFrame(
  caller: AgentFrame,
  subAgent: SubAgent,
  { messageId, mode, signal, number, conclusion }: ChildOptions,
): AgentFrame {
  const { run, agent } = caller
  return openFrame(run, {
    agent: {
      kind: 'sub',
      name: subAgent.name,
      displayName: subAgent.displayName,
      depth: agent.depth + 1,
      path: [...agent.path, subAgent.name],
    },
    messageId,
    mode: narrowed(caller.mode, mode),
    model: subAgent.model ?? caller.model,
    allowedSubAgents: subAgent.allowedSubAgents,
    maxDepth: smallerOf(caller.maxDepth, subAgent.maxDepth),
    ledger: caller.ledger.child(),
    signal,
    callPrefix: `${number}:`,
    within: caller.toolKeys,
    onChunk: chunk => conclusion.add(chunk),
    toolKeys: frame => subAgent.toolKeys(frame),
  })
}

/** Nobody goes deeper than one of its callers allows; without a word of theirs, an agent's own counts. */
function smallerOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/** The task as the sub-agent reads it: it sees nothing else of the conversation. */
function taskMessage({ task, context }: SubAgentCall): Message {
  const facts = context === undefined ? '' : `\n\nContext:\n${JSON.stringify(context, null, 2)}`
  return { id: 'task', role: 'user', parts: [{ type: 'text', text: task + facts }] }
}

function resultOf(messageId: MessageId, { status, text }: AgentOutcome, conclusion: string): SubAgentResult {
  const summary = shortened(conclusion)
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

function shortened(text: string): string {
  if (text.length <= maxSummaryChars) return text
  // Not half a character: there are providers that refuse the whole request for one.
  return `${text.slice(0, maxSummaryChars).toWellFormed()}… (shortened; the user sees all of it)`
}

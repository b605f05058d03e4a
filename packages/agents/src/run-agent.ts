import type { Chunk } from '@throughline/protocol/chunk'
import type { EndStatus, Usage } from '@throughline/protocol/metadata'
import type { Agent, AgentRequest } from './agent.ts'
import type { AgentEvent, FinishReason, MessageEnd } from './agent-event.ts'
import { describeFailure } from './describe-failure.ts'
import { noSegments, segment } from './segment.ts'
import { untilAborted } from './until-aborted.ts'

/** Why a run was ended from outside; the reason of its abort signal. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  readonly status: Exclude<EndStatus, 'finished' | 'failed'>

  constructor(status: RunStopped['status'], message: string) {
    super(message)
    this.status = status
  }
}

export interface AgentOutcome {
  readonly status: EndStatus
  /** What made it fail, for the server's log. */
  readonly error?: unknown
}

/**
 * Runs an agent to its end: every event becomes chunks, and whatever happens the last chunk ends the message.
 * Rejects only when `emit` does, since then nobody can be told.
 */
export async function runAgent(
  agent: Agent,
  request: AgentRequest,
  emit: (chunk: Chunk) => Promise<void>,
): Promise<AgentOutcome> {
  let segments = noSegments
  let usage: Usage | undefined
  let finishReason: FinishReason | undefined
  let failure: { readonly error: unknown } | undefined

  async function send(event: AgentEvent | MessageEnd): Promise<void> {
    const next = segment(segments, event)
    segments = next.segments
    for (const chunk of next.chunks) await emit(chunk)
  }

  const events = untilAborted(() => agent.run(request), request.signal)
  try {
    for (;;) {
      const next = await events.next().catch(error => ({ done: true, error }) as const)
      if ('error' in next) failure ??= { error: next.error }
      if (next.done === true) break
      const event = next.value
      if (event.type === 'step-end') usage = addUsage(usage, event.usage)
      if (event.type === 'finish') finishReason = event.finishReason
      if (event.type === 'error') failure ??= { error: event.error }
      await send(event)
    }
  } finally {
    // When `emit` has failed too: the agent must not go on for nobody.
    await events.return()
  }

  const end = endOf({ signal: request.signal, failure, finishReason })
  await send({ type: 'end', ...end, finishReason, usage })
  return { status: end.status, ...(failure === undefined ? {} : { error: failure.error }) }
}

interface Ending {
  readonly signal: AbortSignal
  readonly failure: { readonly error: unknown } | undefined
  readonly finishReason: FinishReason | undefined
}

function endOf({ signal, failure, finishReason }: Ending): Pick<MessageEnd, 'status' | 'text'> {
  if (signal.aborted) {
    const { reason } = signal
    return reason instanceof RunStopped
      ? { status: reason.status, text: reason.message }
      : { status: 'stopped', text: 'Stopped.' }
  }
  if (failure !== undefined) return { status: 'failed', text: describeFailure(failure.error) }
  switch (finishReason) {
    case 'tool-calls':
      return { status: 'limit', text: 'The answer reached its limit of steps.' }
    case 'length':
      return { status: 'limit', text: 'The answer reached the model’s limit of length.' }
    case 'interrupted':
      return {
        status: 'failed',
        text: 'The model provider broke off. What was said so far is kept; try again.',
      }
    case 'error':
    case undefined:
      return { status: 'failed', text: 'The model ended the answer without saying why. Try again.' }
    default:
      return { status: 'finished' }
  }
}

function addUsage(sum: Usage | undefined, added: Usage | undefined): Usage | undefined {
  if (sum === undefined || added === undefined) return added ?? sum
  return {
    inputTokens: sum.inputTokens + added.inputTokens,
    outputTokens: sum.outputTokens + added.outputTokens,
    totalTokens: sum.totalTokens + added.totalTokens,
    ...addOptional('reasoningTokens', sum, added),
    ...addOptional('cachedInputTokens', sum, added),
  }
}

function addOptional(name: 'reasoningTokens' | 'cachedInputTokens', sum: Usage, added: Usage) {
  if (sum[name] === undefined && added[name] === undefined) return {}
  return { [name]: (sum[name] ?? 0) + (added[name] ?? 0) }
}

import type { EndStatus } from '@throughline/protocol/metadata'
import type { Agent, AgentRequest } from '../agent.ts'
import type { AgentEvent, FinishReason, MessageEnd } from '../agent-event.ts'
import { AgentEventError } from '../errors/agent-event-error.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { emptyEnd } from '../message/answer-content.ts'
import { given } from '../message/given.ts'
import type { MessageWriter } from '../message/message-writer.ts'
import { RunStopped } from './run-stopped.ts'
import { type UntilAborted, untilAborted } from './until-aborted.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** The surroundings of an agent at work. */
export interface AgentWork {
  readonly writer: MessageWriter
  readonly ledger: UsageLedger
  /** Resolves when all that the agent has started is over; its message ends after that. */
  readonly settled?: () => Promise<unknown>
  /** An answer without a word is tried once more. */
  readonly retriesEmpty?: boolean
}

export interface AgentOutcome {
  readonly status: EndStatus
  /** Why it did not finish, or that it says nothing, in words for a person. */
  readonly text?: string | undefined
  /** What made it fail, for the server's log. */
  readonly error?: unknown
}

/**
 * Runs an agent to its end: every event becomes chunks, and whatever happens the last chunk ends the message.
 * Rejects only when a chunk cannot be written, since then nobody can be told.
 */
export async function runAgent(agent: Agent, request: AgentRequest, work: AgentWork): Promise<AgentOutcome> {
  const { writer, ledger, retriesEmpty = false, settled } = work
  const counted: AgentRequest = { ...request, countUsage: (model, counts) => ledger.add(model, counts) }
  let result = await playOnce(agent, counted, work)
  if (retriesEmpty && hasSaidNothing(result, writer)) result = await playOnce(agent, counted, work)
  await settled?.()
  const end = endOf(request.signal, result)
  const isEmpty = end.status === 'finished' && writer.content.isEmpty
  const told = isEmpty ? { ...end, ...emptyEnd(writer.content) } : end
  await writer.end({ ...told, finishReason: result.finishReason, usage: ledger.total() })
  const { status, text } = told
  return { status, ...given({ text, error: result.failure?.error }) }
}

interface Played {
  readonly finishReason: FinishReason | undefined
  readonly failure: { readonly error: unknown } | undefined
}

/** Passes the agent's events on until they end, break, are stopped, or one of them is no event at all. */
async function playOnce(agent: Agent, request: AgentRequest, work: AgentWork): Promise<Played> {
  const { writer, ledger } = work
  let finishReason: FinishReason | undefined
  let failure: Played['failure']
  const events = untilAborted(() => agent.run(request), request.signal)
  try {
    for (;;) {
      const { done, value: event } = await nextOf(events)
      if (done === true) return { finishReason, failure }
      // First, because this is where an event is checked.
      await writer.write(event)
      if (event.type === 'step-end' && event.usage !== undefined) {
        ledger.add(event.model ?? 'unknown', event.usage)
      }
      if (event.type === 'finish') finishReason = event.finishReason
      if (event.type === 'error') failure ??= { error: event.error }
    }
  } catch (error) {
    if (!(error instanceof AgentEventError)) throw error
    return { finishReason, failure: failure ?? { error } }
  } finally {
    // When writing has failed too: the agent must not go on for nobody.
    await events.return()
  }
}

// A source that breaks is told of like one that says so itself.
async function nextOf(events: UntilAborted<AgentEvent>): Promise<IteratorResult<AgentEvent, void>> {
  try {
    return await events.next()
  } catch (error) {
    return { done: false, value: { type: 'error', error } }
  }
}

function hasSaidNothing({ finishReason, failure }: Played, writer: MessageWriter): boolean {
  return finishReason === 'stop' && failure === undefined && writer.text.trim() === ''
}

function endOf(signal: AbortSignal, { failure, finishReason }: Played): Pick<MessageEnd, 'status' | 'text'> {
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

import type { EndStatus, Message } from '@throughline/protocol'
import {
  type AbortableIterator,
  defined,
  iterateUntilAborted,
  serverSentence,
} from '@throughline/protocol/internal'
import type { Agent, AgentRequest } from '../agent/agent.ts'
import type { AgentEvent, FinishReason, MessageEnd } from '../agent/agent-event.ts'
import { AgentEventError } from '../errors/agent-errors.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import { emptyEnd } from '../message/answer-content.ts'
import type { MessageWriter } from '../message/message-writer.ts'
import { type AgentFrame, inFrame } from './agent-frame.ts'
import { AskedCalls } from './ask-person.ts'
import { RunStopped } from './run-stopped.ts'

/** What an agent is given for one answer. */
export interface RunAgentOptions {
  /** The chat so far. It ends with the message that the agent answers. */
  readonly messages: readonly Message[]
  /** The beginning of the answer, when its process died. */
  readonly answerSoFar?: Message | undefined
  /** Whether an agent that says nothing is run once more; false by default. */
  readonly retriesEmpty?: boolean
}

/** How an agent has ended. */
export interface AgentOutcome {
  readonly status: EndStatus
  /** Why the agent did not finish, or that it says nothing. For a person. */
  readonly text?: string | undefined
  /** What made the agent fail. For the server's log. */
  readonly error?: unknown
}

/**
 * Runs an agent in its frame until it ends, is stopped or breaks. Every event becomes chunks of its message, and the last
 * chunk always ends the message. Rejects only when a chunk cannot be written: then no reader can learn about the end.
 */
export function runAgent(agent: Agent, frame: AgentFrame, options: RunAgentOptions): Promise<AgentOutcome> {
  return inFrame(frame, () => runToEnd(agent, frame, options))
}

async function runToEnd(
  agent: Agent,
  frame: AgentFrame,
  { messages, answerSoFar, retriesEmpty = false }: RunAgentOptions,
): Promise<AgentOutcome> {
  const { writer, ledger, signal, delegated } = frame
  const request: AgentRequest = {
    messages,
    ...defined({ answerSoFar }),
    signal,
    countUsage: (model, counts) => ledger.addToStep(model, counts),
  }
  let result = await playOnce(agent, request, frame)
  if (retriesEmpty && hasSaidNothing(result, writer)) result = await playOnce(agent, request, frame)
  await Promise.allSettled(delegated)
  const end = endOf(signal, result)
  const isEmpty = end.status === 'finished' && writer.content.isEmpty
  const told = isEmpty ? { ...end, ...emptyEnd(writer.content) } : end
  await writer.end({ ...told, finishReason: result.finishReason, usage: ledger.total() })
  const { status, text } = told
  return { status, ...defined({ text, error: result.failure?.error }) }
}

interface Played {
  readonly finishReason: FinishReason | undefined
  readonly failure: { readonly error: unknown } | undefined
}

/** Writes the agent's events until the agent ends, breaks, is stopped, or yields something that is no event. */
async function playOnce(agent: Agent, request: AgentRequest, frame: AgentFrame): Promise<Played> {
  const { writer, ledger } = frame
  let finishReason: FinishReason | undefined
  let failure: Played['failure']
  const events = iterateUntilAborted(() => agent.run(request), request.signal)
  const asked = new AskedCalls(frame)
  let answer: unknown
  try {
    for (;;) {
      const { done, value: event } = await nextOf(events, answer)
      answer = undefined
      if (done === true) return { finishReason, failure }
      if (asked.takes(event)) {
        answer = await asked.answer(event)
        continue
      }
      // This comes first because it checks the event.
      await writer.write(event)
      asked.note(event)
      if (event.type === 'step-end' && event.usage !== undefined) {
        // The step has ended with this event.
        ledger.addToTotal(event.model ?? 'unknown', event.usage)
      }
      if (event.type === 'finish') finishReason = event.finishReason
      if (event.type === 'error') failure ??= { error: event.error }
    }
  } catch (error) {
    if (!(error instanceof AgentEventError)) throw error
    return { finishReason, failure: failure ?? { error } }
  } finally {
    // Also when writing has failed: nobody reads the events any more, so the agent must not go on.
    await events.return()
  }
}

// An agent that throws is treated like one that yields an error.
async function nextOf(
  events: AbortableIterator<AgentEvent>,
  answer: unknown,
): Promise<IteratorResult<AgentEvent, void>> {
  try {
    return await events.next(answer)
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
      : { status: 'stopped', text: serverSentence('stopped') }
  }
  if (failure !== undefined) return { status: 'failed', text: describeFailure(failure.error) }
  switch (finishReason) {
    case 'tool-calls':
      return { status: 'limit', text: serverSentence('limit-steps') }
    case 'length':
      return { status: 'limit', text: serverSentence('limit-length') }
    case 'interrupted':
      return { status: 'failed', text: serverSentence('provider-broke-off') }
    case 'error':
    case undefined:
      return { status: 'failed', text: serverSentence('no-reason') }
    default:
      return { status: 'finished' }
  }
}

import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import { AgentEventError } from '../errors/agent-errors.ts'
import { eventProblem } from '../message/event-problem.ts'
import { type AgentFrame, currentFrame } from './agent-frame.ts'
import type { ApprovalDecision } from './desks.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from './wait-for-approval.ts'
import { type OutputQuestion, waitForOutput } from './wait-for-output.ts'

/**
 * Asks the people who follow an answer about a call that the agent has yielded, and waits for their decision. Call it in
 * the code of an agent, after the `tool-call` event. Clients see the request, and what was decided. Nobody decides in time:
 * the call is denied. After a denial the call has ended: yield no result for it. Throws the signal's reason after a stop.
 */
export async function askApproval(call: ApprovalQuestion): Promise<ApprovalDecision> {
  try {
    await waitForApproval(await frameOfCall(call), call)
    return { approved: true }
  } catch (error) {
    if (error instanceof ToolDenied) return { approved: false, reason: error.reason }
    throw error
  }
}

/**
 * Waits for the output of a call that the agent has yielded. It comes from the program that shows the chat (`from:
 * 'client'`), or from a person, who is shown a field to answer (`from: 'person'`). Call it in the code of an agent, after
 * the `tool-call` event, and yield the result afterwards. Throws a `NoOutput` error when an error comes in its place, or
 * nothing in time, and the signal's reason after a stop.
 */
export async function askOutput({ from, ...call }: OutputQuestion): Promise<unknown> {
  return waitForOutput(await frameOfCall(call), { ...call, from })
}

/** A tool works in a frame that knows its call already. An agent's calls are known when they have been written. */
async function frameOfCall({ toolCallId, toolName }: ApprovalQuestion): Promise<AgentFrame> {
  const frame = currentFrame()
  if (frame.callId !== undefined) return frame
  return { ...frame, callId: await frame.writer.called(toolCallId, toolName) }
}

type AskingEvent = Extract<AgentEvent, { type: 'tool-approval-request' | 'tool-approval-response' }>

/** The calls of one agent for which it asks for approval by an event. */
export class AskedCalls {
  readonly #frame: AgentFrame
  readonly #calls = new Map<string, ToolCall>()
  readonly #asked = new Set<string>()

  constructor(frame: AgentFrame) {
    this.#frame = frame
  }

  /** Takes note of the calls in an event that was written. */
  note(event: AgentEvent): void {
    switch (event.type) {
      case 'tool-call':
        this.#calls.set(event.toolCallId, event)
        return
      case 'content':
        for (const call of event.toolCalls ?? []) this.#calls.set(call.toolCallId, call)
        return
      // Nobody asks for it any more. Its input may be large.
      case 'tool-result':
      case 'tool-error':
        this.#calls.delete(event.toolCallId)
        return
      default:
        return
    }
  }

  /** Returns whether an event asks for approval, or is the agent's own report of a decision. It may be no event at all. */
  takes(event: AgentEvent): event is AskingEvent {
    try {
      if (event.type === 'tool-approval-request') return true
      return event.type === 'tool-approval-response' && this.#asked.has(event.toolCallId)
    } catch {
      // The writer says what is wrong with it.
      return false
    }
  }

  /**
   * Waits for the decision that an event asks for. Returns nothing after a stop, and for a report of a decision, which is
   * written already. Rejects with an `AgentEventError` when there is no such call.
   */
  async answer(event: AskingEvent): Promise<ApprovalDecision | undefined> {
    if (event.type === 'tool-approval-response') return undefined
    const problem = eventProblem(event)
    if (problem !== undefined) throw new AgentEventError(problem)
    const { toolCallId } = event
    const call = this.#calls.get(toolCallId)
    if (call === undefined)
      throw new AgentEventError('a tool-approval-request event needs a tool-call event before it')
    this.#asked.add(toolCallId)
    try {
      return await askApproval({ toolCallId, toolName: call.toolName, input: call.input })
    } catch (error) {
      if (this.#frame.signal.aborted) return undefined
      throw error
    }
  }
}

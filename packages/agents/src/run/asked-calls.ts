import type { AgentEvent, ToolCall } from '../agent-event.ts'
import { AgentEventError } from '../errors/agent-event-error.ts'
import { eventProblem } from '../message/event-problem.ts'
import type { AgentFrame } from './agent-frame.ts'
import type { ApprovalDecision } from './approval-desk.ts'
import { askApproval } from './ask-person.ts'

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

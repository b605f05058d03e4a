import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import type { ApprovalItem } from './streamed-run.ts'
import { waitingCall } from './tool-items.ts'

/** A call that waits for a person. */
export interface CallToApprove {
  readonly item: ApprovalItem
  /** The call as it is shown; `undefined` when it cannot be shown. */
  readonly call: ToolCall | undefined
}

/**
 * The calls of one answer as they are shown. Each gets an id of its own: the model of an agent that works as a tool may use
 * an id that its caller uses, too.
 */
export class ShownCalls {
  readonly #ids = new Set<string>()
  /** The newest call that the run has streamed under each id. */
  readonly #streamed = new Map<string, ToolCall>()
  /** Calls that wait and were not streamed: of agents that work as tools, and of MCP servers that the provider calls. */
  #hidden: readonly ToolCall[] = []

  /** Returns a call that the run has streamed, with the id under which it is shown. */
  add(call: ToolCall): ToolCall {
    const shown = this.#withFreeId(call)
    this.#streamed.set(call.toolCallId, shown)
    return shown
  }

  /** Returns the id under which the newest call with this id is shown. */
  idOf(toolCallId: string): string {
    return this.#streamed.get(toolCallId)?.toolCallId ?? toolCallId
  }

  /** Returns the calls for which the run waits, and the events that show those of them that have not been streamed. */
  wait(items: readonly ApprovalItem[]): {
    readonly calls: readonly CallToApprove[]
    readonly events: readonly AgentEvent[]
  } {
    const events: AgentEvent[] = []
    const calls = items.map(item => {
      const call = waitingCall(item)
      const streamed = call && this.#streamed.get(call.toolCallId)
      if (call === undefined || (streamed !== undefined && isSame(streamed, call)))
        return { item, call: streamed }
      const shown = this.#withFreeId(call)
      this.#hidden = [...this.#hidden, shown]
      events.push({ type: 'tool-call', ...shown })
      return { item, call: shown }
    })
    return { calls, events }
  }

  /** Returns results of the calls that `wait` has shown: the run does not stream any. Call this when the run has gone on. */
  hiddenResults(): readonly AgentEvent[] {
    const calls = this.#hidden
    this.#hidden = []
    const output = 'The result of this call is not shown here.'
    return calls.map(call => ({ type: 'tool-result', ...call, output }))
  }

  #withFreeId(call: ToolCall): ToolCall {
    let toolCallId = call.toolCallId
    for (let count = 2; this.#ids.has(toolCallId); count += 1) toolCallId = `${call.toolCallId}-${count}`
    this.#ids.add(toolCallId)
    return { ...call, toolCallId }
  }
}

/** A person approves what they see. So a call counts as shown only when its tool and its input are the same. */
function isSame(shown: ToolCall, waiting: ToolCall): boolean {
  return shown.toolName === waiting.toolName && JSON.stringify(shown.input) === JSON.stringify(waiting.input)
}

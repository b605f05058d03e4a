import type { ModelMessage, TextStreamPart, ToolSet } from 'ai'
import type { AgentEvent, ToolCall } from '../agent-event.ts'
import { askApproval, askOutput } from '../run/ask-person.ts'
import { NoOutput } from '../run/wait-for-output.ts'
import { toJsonValue } from '../values/json-value.ts'

type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']

/**
 * The calls of one stream of the AI SDK that it leaves to its caller. There are two kinds: calls that need approval, and
 * calls of tools without `execute`. The SDK ends the stream there, and goes on with the next one, whose messages have the
 * decisions and the outputs.
 */
export class OutsideCalls {
  /** The calls without a result, by their ids. */
  readonly #open = new Map<string, ToolCall>()
  /** The SDK's ids of the approvals that calls wait for, by the ids of the calls. */
  readonly #approvals = new Map<string, string>()

  /** Passes on the parts of a stream, and takes note of its calls. */
  async *watch(stream: AsyncIterable<TextStreamPart<ToolSet>>): AsyncGenerator<TextStreamPart<ToolSet>> {
    for await (const part of stream) {
      this.#take(part)
      yield part
    }
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /**
   * Asks for what the calls need, all at the same time. The events of the calls must have been written. Returns what the SDK
   * is told, and the events of calls that have ended with that.
   */
  async settle(): Promise<{ readonly content: ToolContent; readonly events: readonly AgentEvent[] }> {
    const settled = await Promise.all([...this.#open.values()].map(call => this.#settleOne(call)))
    return {
      content: settled.map(({ part }) => part),
      events: settled.flatMap(({ event }) => (event === undefined ? [] : [event])),
    }
  }

  /** Returns the events with which the answer fails, because what the calls wait for cannot be given. */
  refuse(why: string): readonly AgentEvent[] {
    const calls = [...this.#open.values()]
    const errorOf = ({ toolName }: ToolCall) => `The tool "${toolName}" cannot run: ${why}`
    return [
      ...calls.map(call => ({ type: 'tool-error', ...call, errorText: errorOf(call) }) as const),
      ...calls.slice(0, 1).map(call => ({ type: 'error', error: new Error(errorOf(call)) }) as const),
    ]
  }

  #take(part: TextStreamPart<ToolSet>): void {
    switch (part.type) {
      case 'tool-call': {
        const { toolCallId, toolName, input, dynamic } = part
        if (part.invalid === true || part.providerExecuted === true) return
        this.#open.set(toolCallId, { toolCallId, toolName, input, dynamic: dynamic || undefined })
        return
      }
      case 'tool-result':
        if (part.preliminary !== true) this.#open.delete(part.toolCallId)
        return
      case 'tool-error':
      case 'tool-output-denied':
        this.#open.delete(part.toolCallId)
        return
      case 'tool-approval-request':
        // The SDK decides about some calls itself, by its own rules.
        if (part.isAutomatic !== true) this.#approvals.set(part.toolCall.toolCallId, part.approvalId)
        return
      default:
        return
    }
  }

  async #settleOne(call: ToolCall): Promise<{ part: ToolContent[number]; event?: AgentEvent }> {
    const { toolCallId, toolName } = call
    const approvalId = this.#approvals.get(toolCallId)
    if (approvalId !== undefined) {
      const decision = await askApproval(call)
      // The SDK runs the tool in its next stream, and its result comes from there.
      const { approved, reason } = decision
      return { part: { type: 'tool-approval-response', approvalId, approved, ...(reason && { reason }) } }
    }
    const outcome = await outputOf(call)
    return {
      part: {
        type: 'tool-result',
        toolCallId,
        toolName,
        output:
          outcome.type === 'tool-error'
            ? { type: 'error-text', value: outcome.errorText }
            : { type: 'json', value: JSON.parse(JSON.stringify(toJsonValue(outcome.output))) },
      },
      event: outcome,
    }
  }
}

async function outputOf(
  call: ToolCall,
): Promise<Extract<AgentEvent, { type: 'tool-result' | 'tool-error' }>> {
  try {
    return { type: 'tool-result', ...call, output: await askOutput({ ...call, from: 'client' }) }
  } catch (error) {
    if (!(error instanceof NoOutput)) throw error
    return { type: 'tool-error', ...call, errorText: error.message }
  }
}

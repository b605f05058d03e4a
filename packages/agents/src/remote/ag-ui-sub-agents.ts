import { isRecord } from '@throughline/protocol'
import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import { isText, textOrEmpty, type UncheckedFields } from '../values/fields.ts'
import type { ServiceErrors } from './service-errors.ts'

interface Working {
  readonly call: ToolCall
  text: string
}

/**
 * The sub-agents in an AG-UI stream. Most work for a call of a tool, which the stream shows anyway. One that works for no call
 * is shown as a call of its own, with what it said as the result. What sub-agents of sub-agents say is not shown.
 */
export class AgUiSubAgentCalls {
  readonly #errors: ServiceErrors
  /** Those that are not shown: the stream shows what they work for. */
  readonly #hidden = new Set<string>()
  readonly #working = new Map<string, Working>()

  constructor(errors: ServiceErrors) {
    this.#errors = errors
  }

  /** Takes an event of the sub-agent with this id. */
  read(id: string, type: string, event: UncheckedFields): readonly AgentEvent[] {
    if (this.#hidden.has(id)) return []
    if (isText(event['parentToolCallId']) || isText(event['parentSubagentRunId'])) {
      this.#hidden.add(id)
      return []
    }
    const begun = this.#working.has(id) ? [] : this.#begin(id, event)
    switch (type) {
      case 'TEXT_MESSAGE_CONTENT':
      case 'TEXT_MESSAGE_CHUNK':
        this.#say(id, textOrEmpty(event['delta']))
        return begun
      case 'TEXT_MESSAGE_END':
        this.#say(id, '\n\n')
        return begun
      case 'SUBAGENT_FINISHED':
        return [
          ...begun,
          ...this.#end(id, isSuspended(event) ? this.#errors.needsPerson().message : undefined),
        ]
      case 'SUBAGENT_ERROR':
        return [...begun, ...this.#end(id, textOrEmpty(event['message']) || 'The sub-agent has failed.')]
      default:
        return begun
    }
  }

  /** Ends those that are still at work when the stream ends. */
  endAll(): readonly AgentEvent[] {
    return [...this.#working.keys()].flatMap(id => this.#end(id, undefined))
  }

  #begin(id: string, { name }: UncheckedFields): readonly AgentEvent[] {
    const title = textOrEmpty(name) || 'sub-agent'
    const call = { toolCallId: id, toolName: 'subAgent', title, input: { name: title } }
    this.#working.set(id, { call, text: '' })
    return [{ type: 'tool-call', ...call }]
  }

  #say(id: string, text: string): void {
    const working = this.#working.get(id)
    if (working !== undefined) working.text += text
  }

  #end(id: string, errorText: string | undefined): readonly AgentEvent[] {
    const working = this.#working.get(id)
    if (working === undefined) return []
    this.#working.delete(id)
    // Late events of it begin no second call.
    this.#hidden.add(id)
    const { call, text } = working
    if (errorText !== undefined) return [{ type: 'tool-error', ...call, errorText }]
    return [{ type: 'tool-result', ...call, output: text.trim() }]
  }
}

function isSuspended({ outcome }: UncheckedFields): boolean {
  return isRecord(outcome) && outcome['type'] === 'suspended'
}

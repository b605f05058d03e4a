import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { isText } from '../values/fields.ts'
import {
  type CallPiece,
  type ContentPiece,
  callPiecesIn,
  callsIn,
  invalidCallsIn,
  piecesIn,
} from './message-fields.ts'
import type { StartedGraphTool } from './run-tree.ts'

interface GraphCall extends ToolCall {
  /** What the tool has thrown last. It may be called again, so this is not yet the result. */
  error?: unknown
  hasResult: boolean
}

/** The tool calls of one answer. */
export class GraphCalls {
  readonly #calls = new Map<string, GraphCall>()
  /** The calls of the tools that work now, by run. */
  readonly #running = new Map<string, GraphCall>()

  /** The calls that have no result yet. */
  get open(): readonly ToolCall[] {
    return [...this.#calls.values()].filter(({ hasResult }) => !hasResult).map(asToolCall)
  }

  /** True while a tool works. */
  get areRunning(): boolean {
    return this.#running.size > 0
  }

  /** For a graph that has failed: the errors of its tools that nobody has turned into results. */
  get failed(): readonly AgentEvent[] {
    return [...this.#calls.values()]
      .filter(({ hasResult, error }) => !hasResult && error !== undefined)
      .map(call => ({ type: 'tool-error', ...asToolCall(call), errorText: wordsOf(call.error) }))
  }

  /** A model has made the calls in this message. */
  made(message: unknown): readonly AgentEvent[] {
    const calls = callsIn(message).flatMap(({ id, name, args }) => this.#call(id, name, args))
    const invalid = invalidCallsIn(message).map(({ id, name, args }) => {
      const call = { toolCallId: id, toolName: name, input: args }
      return { type: 'tool-call-invalid', ...call, errorText: 'The input is no JSON.' } as const
    })
    return [...calls, ...invalid]
  }

  start({ input, name = 'tool', toolCallId }: StartedGraphTool, runId: string): readonly AgentEvent[] {
    if (toolCallId === undefined) return []
    const events = this.#call(toolCallId, name, parsed(input))
    const call = this.#calls.get(toolCallId)
    if (call !== undefined) this.#running.set(runId, call)
    return events
  }

  progress(output: unknown, runId: string): readonly AgentEvent[] {
    const call = this.#running.get(runId)
    return call === undefined ? [] : [{ type: 'tool-progress', ...asToolCall(call), output }]
  }

  end(runId: string, error?: unknown): void {
    const call = this.#running.get(runId)
    if (call !== undefined) call.error = error
    this.#running.delete(runId)
  }

  /** A `ToolMessage` is the result of a call: the model reads what is in it. Those of earlier answers are ignored. */
  result(message: Readonly<Record<string, unknown>>): readonly AgentEvent[] {
    const { tool_call_id: id, status, content } = message
    const call = this.#calls.get(String(id))
    if (call === undefined || call.hasResult) return []
    call.hasResult = true
    if (status === 'error') return [{ type: 'tool-error', ...asToolCall(call), errorText: textIn(content) }]
    return [{ type: 'tool-result', ...asToolCall(call), output: outputOf(content) }]
  }

  #call(toolCallId: string, toolName: string, input: unknown): readonly AgentEvent[] {
    const known = this.#calls.get(toolCallId)
    if (known !== undefined && !known.hasResult) return []
    this.#calls.set(toolCallId, { toolCallId, toolName, input, hasResult: false })
    return [{ type: 'tool-call', toolCallId, toolName, input }]
  }
}

function asToolCall({ toolCallId, toolName, input }: GraphCall): ToolCall {
  return { toolCallId, toolName, input }
}

/** LangChain turns what a tool returns into text. Turns it back where nothing is lost. */
function outputOf(content: unknown): unknown {
  if (!isText(content)) return content
  const value = parsed(content)
  return JSON.stringify(value) === content ? value : content
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textIn(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** One call of a model. Turns the chunks that it streams into events. */
export class ModelCall {
  /** The model's name as usage and prices have it: `provider:model`. */
  readonly model: string | undefined
  /** All text of the model so far. */
  said = ''
  readonly #text = new ShownOnce()
  /** The ids of the tool calls that have begun to stream, by their index. */
  readonly #callIds = new Map<unknown, string>()
  #hasStreamed = false

  constructor(model: string | undefined) {
    this.model = model
  }

  /** True when nothing was streamed. Then everything is in the message at the end. */
  get isSilent(): boolean {
    return !this.#hasStreamed
  }

  take(message: unknown): readonly AgentEvent[] {
    const events = [
      ...piecesIn(message).flatMap(piece => this.#content(piece)),
      ...callPiecesIn(message).flatMap(piece => this.#callPiece(piece)),
    ]
    this.#hasStreamed ||= events.length > 0
    return events
  }

  /** Call this when something else comes. Returns the text that was held back. */
  pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  #content(piece: ContentPiece): readonly AgentEvent[] {
    switch (piece.type) {
      case 'text':
        this.said += piece.text
        this.#hasStreamed = true
        return textEvents(this.#text.take(piece.text))
      case 'reasoning':
        return [...this.pause(), { type: 'reasoning-delta', text: piece.text }]
      case 'file': {
        const { mediaType, data } = piece
        const url = `data:${mediaType};base64,${data}`
        return [...this.pause(), { type: 'file', chunk: { type: 'file', mediaType, url } }]
      }
    }
  }

  /** The first piece of a call has its id and its name. The others have its index. */
  #callPiece({ id, name, args: text, index }: CallPiece): readonly AgentEvent[] {
    const isNew = id !== undefined && name !== undefined && this.#callIds.get(index) !== id
    if (isNew) this.#callIds.set(index, id)
    const toolCallId = this.#callIds.get(index)
    if (toolCallId === undefined) return []
    const events: AgentEvent[] = isNew
      ? [...this.pause(), { type: 'tool-input-start', toolCallId, toolName: name }]
      : []
    return text === '' ? events : [...events, { type: 'tool-input-delta', toolCallId, text }]
  }
}

import { isRecord } from '@throughline/protocol'
import type { AgentEvent } from '../agent-event.ts'
import type { FormReader, Progress, ReaderOptions, RemoteEvent } from './form-reader.ts'
import { jsonOrText, readJson, toolCallFrom } from './read-json.ts'
import { usageOf } from './token-counts.ts'

type Fields = Readonly<Record<string, unknown>>

interface StreamedCall {
  readonly toolCallId: string
  readonly toolName: string
  text: string
  /** Its input has come in full. */
  isMade: boolean
}

/**
 * Reads a stream of AG-UI events, of version 1.0 and of those before it. State, snapshots, steps, custom events and the
 * events of sub-agents are not shown.
 */
export class AgUiReader implements FormReader {
  progress: Progress = 'open'
  readonly #options: ReaderOptions
  readonly #calls = new Map<string, StreamedCall>()
  /** The messages that are not of the agent. A service may repeat what the person said. */
  readonly #foreign = new Set<string>()
  #messageId: string | undefined
  /** The call that `TOOL_CALL_CHUNK` events add to. It has no end of its own. */
  #chunkedCallId: string | undefined
  #usage: readonly RemoteEvent[] = []

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(data: string): readonly RemoteEvent[] {
    const event = readJson(data, this.#options.errors)
    const type = this.#textIn(event, 'type')
    if (isText(event['subagentRunId'])) return []
    const isSameChunk =
      type === 'TOOL_CALL_CHUNK' &&
      [undefined, this.#chunkedCallId].includes(optionalText(event['toolCallId']))
    const before = isSameChunk ? [] : this.#endChunkedCall()
    return [...before, ...this.#eventsOf(type, event)]
  }

  end(): readonly RemoteEvent[] {
    return this.#usage
  }

  #eventsOf(type: string, event: Fields): readonly RemoteEvent[] {
    switch (type) {
      case 'TEXT_MESSAGE_START':
        if ((event['role'] ?? 'assistant') !== 'assistant')
          this.#foreign.add(this.#textIn(event, 'messageId'))
        return []
      case 'TEXT_MESSAGE_CONTENT':
        return this.#addText(this.#textIn(event, 'messageId'), this.#textIn(event, 'delta'))
      case 'TEXT_MESSAGE_CHUNK':
        return this.#addText(
          optionalText(event['messageId']) ?? this.#messageId ?? '',
          optionalText(event['delta']) ?? '',
        )
      case 'TEXT_MESSAGE_END':
        return [{ type: 'text-end' }]
      case 'REASONING_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CHUNK':
      case 'THINKING_TEXT_MESSAGE_CONTENT':
        return [{ type: 'reasoning-delta', text: optionalText(event['delta']) ?? '' }]
      case 'REASONING_MESSAGE_END':
      case 'THINKING_TEXT_MESSAGE_END':
        return [{ type: 'reasoning-end' }]
      case 'RUN_FINISHED':
      case 'RUN_ERROR':
        return this.#finish(type, event)
      default:
        return this.#toolEvents(type, event)
    }
  }

  #addText(messageId: string, text: string): readonly AgentEvent[] {
    if (this.#foreign.has(messageId)) return []
    const isOther = this.#messageId !== undefined && this.#messageId !== messageId
    this.#messageId = messageId
    return isOther ? [{ type: 'text-end' }, { type: 'text-delta', text }] : [{ type: 'text-delta', text }]
  }

  #toolEvents(type: string, event: Fields): readonly AgentEvent[] {
    switch (type) {
      case 'TOOL_CALL_START':
        return this.#beginCall(this.#textIn(event, 'toolCallId'), this.#textIn(event, 'toolCallName'))
      case 'TOOL_CALL_ARGS':
        return this.#addArgs(this.#textIn(event, 'toolCallId'), this.#textIn(event, 'delta'))
      case 'TOOL_CALL_END':
        return this.#makeCall(this.#textIn(event, 'toolCallId'))
      case 'TOOL_CALL_CHUNK':
        return this.#chunk(event)
      case 'TOOL_CALL_RESULT':
        return this.#result(event)
      default:
        return []
    }
  }

  #beginCall(toolCallId: string, toolName: string): readonly AgentEvent[] {
    this.#calls.set(toolCallId, { toolCallId, toolName, text: '', isMade: false })
    return [{ type: 'tool-input-start', toolCallId, toolName }]
  }

  #addArgs(toolCallId: string, text: string): readonly AgentEvent[] {
    const call = this.#calls.get(toolCallId)
    if (call === undefined || call.isMade) return []
    call.text += text
    return [{ type: 'tool-input-delta', toolCallId, text }]
  }

  #makeCall(toolCallId: string): readonly AgentEvent[] {
    const call = this.#calls.get(toolCallId)
    if (call === undefined || call.isMade) return []
    call.isMade = true
    return [toolCallFrom({ toolCallId, toolName: call.toolName }, call.text)]
  }

  #chunk(event: Fields): readonly AgentEvent[] {
    const toolCallId = optionalText(event['toolCallId']) ?? this.#chunkedCallId
    if (toolCallId === undefined)
      throw this.#options.errors.unreadable('the first TOOL_CALL_CHUNK event needs a "toolCallId"')
    const begun = this.#calls.has(toolCallId)
      ? []
      : this.#beginCall(toolCallId, this.#textIn(event, 'toolCallName'))
    this.#chunkedCallId = toolCallId
    const delta = optionalText(event['delta'])
    return delta === undefined ? begun : [...begun, ...this.#addArgs(toolCallId, delta)]
  }

  #endChunkedCall(): readonly AgentEvent[] {
    const toolCallId = this.#chunkedCallId
    this.#chunkedCallId = undefined
    return toolCallId === undefined ? [] : this.#makeCall(toolCallId)
  }

  #result(event: Fields): readonly AgentEvent[] {
    const toolCallId = this.#textIn(event, 'toolCallId')
    const { content } = event
    // A text, or a list of texts, pictures and files.
    const parts = Array.isArray(content) ? content : undefined
    const text = parts === undefined ? this.#textIn(event, 'content') : JSON.stringify(parts)
    const made = this.#makeCall(toolCallId)
    const { toolName = 'tool' } = this.#calls.get(toolCallId) ?? {}
    const call = { toolCallId, toolName, input: {} }
    const result: AgentEvent = isFailedResult(event)
      ? { type: 'tool-error', ...call, errorText: text }
      : { type: 'tool-result', ...call, output: parts ?? jsonOrText(text) }
    return [...made, result]
  }

  #finish(type: 'RUN_FINISHED' | 'RUN_ERROR', event: Fields): readonly AgentEvent[] {
    const { errors, provider } = this.#options
    this.progress = 'done'
    this.#usage = listOf(event['usage']).flatMap(used =>
      usageOf(
        `${optionalText(used['provider']) ?? provider}:${optionalText(used['model']) ?? 'unknown'}`,
        used,
      ),
    )
    if (type === 'RUN_ERROR') {
      const text = optionalText(event['message']) ?? 'It does not say which.'
      return [{ type: 'error', error: errors.reported(text) }]
    }
    const outcome = isRecord(event['outcome']) ? event['outcome']['type'] : undefined
    if (outcome === 'interrupt') return [{ type: 'error', error: errors.needsPerson() }]
    if (outcome === 'cancelled') return [{ type: 'error', error: errors.stopped(undefined) }]
    return [{ type: 'finish', finishReason: 'stop' }]
  }

  #textIn(event: Fields, field: string): string {
    const value = event[field]
    if (typeof value === 'string') return value
    const where = optionalText(event['type'])?.slice(0, 64)
    throw this.#options.errors.unreadable(
      where === undefined ? 'an event needs a "type"' : `a ${where} event needs a valid "${field}"`,
    )
  }
}

// AG-UI has no field for this. Throughline and TanStack AI use this one.
function isFailedResult({ metadata }: Fields): boolean {
  const tanstack = isRecord(metadata) ? metadata['tanstack'] : undefined
  return isRecord(tanstack) && tanstack['state'] === 'output-error'
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

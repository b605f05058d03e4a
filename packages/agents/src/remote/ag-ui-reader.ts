import { isRecord } from '@throughline/protocol'
import type { AgentEvent } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { isText, recordsIn, type UncheckedFields } from '../values/fields.ts'
import { type SnapshotItem, snapshotItems } from './ag-ui-snapshot.ts'
import { AgUiSubAgentCalls } from './ag-ui-sub-agents.ts'
import type { FormReader, ReaderOptions, RemoteEvent, StreamProgress } from './form-reader.ts'
import { jsonOrText, readJson, toolCallFrom } from './read-json.ts'
import { usageOf } from './token-counts.ts'

interface StreamedCall {
  readonly toolCallId: string
  readonly toolName: string
  text: string
  /** Its input has come in full. */
  isMade: boolean
}

/**
 * Reads a stream of AG-UI events, of version 1.0 and of those before it. A snapshot of the messages shows what was not streamed.
 * The state goes to the pages that are open. Steps and custom events are not shown.
 */
export class AgUiReader implements FormReader {
  progress: StreamProgress = 'open'
  readonly #options: ReaderOptions
  readonly #calls = new Map<string, StreamedCall>()
  /** The messages that are not of the agent. A service may repeat what the person said. */
  readonly #foreign = new Set<string>()
  #messageId: string | undefined
  #text = new ShownOnce()
  /** What the agent has said, with and without the id of its message. A snapshot repeats it. */
  readonly #said = new Map<string, string>()
  #allSaid = ''
  readonly #results = new Set<string>()
  readonly #subAgents: AgUiSubAgentCalls
  /** The call that `TOOL_CALL_CHUNK` events add to. It has no end of its own. */
  #chunkedCallId: string | undefined
  #usage: readonly RemoteEvent[] = []

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#subAgents = new AgUiSubAgentCalls(options.errors)
  }

  read(data: string): readonly RemoteEvent[] {
    const event = readJson(data, this.#options.errors)
    const type = this.#textIn(event, 'type')
    const subAgent = event['subagentRunId']
    if (isText(subAgent)) return [...this.#pause(), ...this.#subAgents.read(subAgent, type, event)]
    const isSameChunk =
      type === 'TOOL_CALL_CHUNK' &&
      [undefined, this.#chunkedCallId].includes(optionalText(event['toolCallId']))
    const before = isSameChunk ? [] : this.#endChunkedCall()
    const events = this.#eventsOf(type, event)
    if (type.startsWith('TEXT_MESSAGE') || before.length + events.length === 0) return [...before, ...events]
    return [...this.#pause(), ...before, ...events]
  }

  end(): readonly RemoteEvent[] {
    return [...this.#pause(), ...this.#usage]
  }

  #eventsOf(type: string, event: UncheckedFields): readonly RemoteEvent[] {
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
        return [...this.#endText(), { type: 'text-end' }]
      case 'MESSAGES_SNAPSHOT':
        return snapshotItems(event['messages']).flatMap(item => this.#unshown(item))
      case 'STATE_SNAPSHOT':
        return [{ type: 'ui-event', data: { type, snapshot: event['snapshot'] } }]
      case 'STATE_DELTA':
        return [{ type: 'ui-event', data: { type, delta: event['delta'] } }]
      case 'REASONING_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CHUNK':
      case 'THINKING_TEXT_MESSAGE_CONTENT':
        return this.#addReasoning(optionalText(event['messageId']) ?? '', optionalText(event['delta']) ?? '')
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
    this.#remember(messageId, text)
    const before: readonly AgentEvent[] = isOther ? [...this.#endText(), { type: 'text-end' }] : []
    return [...before, ...textEvents(this.#text.take(text))]
  }

  #addReasoning(messageId: string, text: string): readonly AgentEvent[] {
    this.#remember(messageId, text)
    return [{ type: 'reasoning-delta', text }]
  }

  #remember(messageId: string, text: string): void {
    this.#said.set(messageId, (this.#said.get(messageId) ?? '') + text)
    this.#allSaid += withoutSpace(text)
  }

  /** Returns what was held back of the text. */
  #pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  #endText(): readonly AgentEvent[] {
    const events = this.#pause()
    this.#text = new ShownOnce()
    return events
  }

  /** Returns the events of what has not been streamed. What was streamed cannot be taken back, so changes are not shown. */
  #unshown(item: SnapshotItem): readonly AgentEvent[] {
    if (item.type === 'call') {
      const { toolCallId, toolName, text } = item
      if (this.#calls.has(toolCallId)) return this.#makeCall(toolCallId)
      const begun = this.#beginCall(toolCallId, toolName)
      return [...begun, ...this.#addArgs(toolCallId, text), ...this.#makeCall(toolCallId)]
    }
    if (item.type === 'result') return this.#result(item.event)
    const said = this.#said.get(item.id) ?? ''
    const rest = item.text.startsWith(said) ? item.text.slice(said.length) : ''
    // A service may say the same under another id.
    if (rest.trim() === '' || (said === '' && this.#allSaid.includes(withoutSpace(item.text)))) return []
    if (item.type === 'text') return [...this.#addText(item.id, rest), ...this.#pause()]
    return [...this.#pause(), ...this.#addReasoning(item.id, rest), { type: 'reasoning-end' }]
  }

  #toolEvents(type: string, event: UncheckedFields): readonly AgentEvent[] {
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

  #chunk(event: UncheckedFields): readonly AgentEvent[] {
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

  #result(event: UncheckedFields): readonly AgentEvent[] {
    const toolCallId = this.#textIn(event, 'toolCallId')
    if (this.#results.has(toolCallId)) return []
    this.#results.add(toolCallId)
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

  #finish(type: 'RUN_FINISHED' | 'RUN_ERROR', event: UncheckedFields): readonly AgentEvent[] {
    const { errors, provider } = this.#options
    this.progress = 'done'
    this.#usage = recordsIn(event['usage']).flatMap(used =>
      usageOf(
        `${optionalText(used['provider']) ?? provider}:${optionalText(used['model']) ?? 'unknown'}`,
        used,
      ),
    )
    if (type === 'RUN_ERROR') {
      const text = optionalText(event['message']) ?? 'It does not say which.'
      return [...this.#subAgents.endAll(), { type: 'error', error: errors.reported(text) }]
    }
    const outcome = isRecord(event['outcome']) ? event['outcome']['type'] : undefined
    if (outcome === 'interrupt') return [{ type: 'error', error: errors.needsPerson() }]
    if (outcome === 'cancelled') return [{ type: 'error', error: errors.stopped(undefined) }]
    return [...this.#subAgents.endAll(), { type: 'finish', finishReason: 'stop' }]
  }

  #textIn(event: UncheckedFields, field: string): string {
    const value = event[field]
    if (typeof value === 'string') return value
    const where = optionalText(event['type'])?.slice(0, 64)
    throw this.#options.errors.unreadable(
      where === undefined ? 'an event needs a "type"' : `a ${where} event needs a valid "${field}"`,
    )
  }
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

// AG-UI has no field for this. Throughline and TanStack AI use this one.
function isFailedResult({ metadata }: UncheckedFields): boolean {
  const tanstack = isRecord(metadata) ? metadata['tanstack'] : undefined
  return isRecord(tanstack) && tanstack['state'] === 'output-error'
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

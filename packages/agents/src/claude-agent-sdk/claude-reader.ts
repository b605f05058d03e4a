import { APICallError } from 'ai'
import type { AgentEvent, FinishReason, TokenCounts } from '../agent/agent-event.ts'
import { ShownOnce, textEvents } from '../ai-sdk/shown-once.ts'
import { fieldsOf, recordsIn, textOrEmpty, type UncheckedFields } from '../values/fields.ts'
import type { ClaudeMessage } from './claude-query.ts'
import { ClaudeUsage } from './claude-usage.ts'

export interface ClaudeReaderOptions {
  /** Counts what one model call used. */
  readonly countUsage: (model: string, counts: TokenCounts) => void
  /** Whether the session is new. The totals of one that goes on contain those of the answers before. */
  readonly isFresh: boolean
}

/** Turns what one query of the SDK streams into agent events. What sub-agents of the SDK say is counted, and not shown. */
export class ClaudeReader {
  readonly #usage: ClaudeUsage
  #text = new ShownOnce()
  #hasOpenStep = false
  /** The ids of the API's messages that have been streamed. The SDK repeats each of their blocks as a whole. */
  readonly #streamed = new Set<string>()
  /** The names of the tools that were called, by the id of the call. */
  readonly #called = new Map<string, string>()
  /** What kind of error the newest message of the model is; `undefined` when it is none. */
  #errorKind: unknown
  #result: UncheckedFields | undefined
  #hasBegun = false

  constructor(options: ClaudeReaderOptions) {
    this.#usage = new ClaudeUsage(options)
  }

  /** Whether the session has begun. Before that, nothing has been shown. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  read(message: ClaudeMessage): readonly AgentEvent[] {
    const fields = fieldsOf(message)
    if (message.parent_tool_use_id != null) {
      if (message.type === 'assistant') this.#usage.addNested(fieldsOf(fields['message']))
      return []
    }
    switch (message.type) {
      case 'system':
        if (fields['subtype'] === 'init') this.#hasBegun = true
        return []
      case 'stream_event':
        return this.#readStream(fieldsOf(fields['event']))
      case 'assistant':
        this.#errorKind = fields['error']
        return this.#readBlocks(fieldsOf(fields['message']))
      case 'user':
        return recordsIn(fieldsOf(fields['message'])['content']).flatMap(block => this.#readResult(block))
      case 'result':
        this.#result = fields
        this.#usage.addRest(fields['modelUsage'])
        return []
      default:
        return []
    }
  }

  /** Returns the end of the answer. `error` is what the query has thrown. */
  finish(error?: unknown): readonly AgentEvent[] {
    const rest = this.#endStep()
    const result = this.#result
    if (result === undefined)
      return [...rest, { type: 'error', error: error ?? new Error('Claude Code ended without a result.') }]
    if (result['subtype'] === 'error_max_turns')
      return [...rest, { type: 'finish', finishReason: 'tool-calls' }]
    if (result['stop_reason'] === 'max_tokens' || this.#errorKind === 'max_output_tokens')
      return [...rest, { type: 'finish', finishReason: 'length' }]
    if (result['is_error'] === true || result['subtype'] !== 'success')
      return [...rest, { type: 'error', error: failureOf(result, this.#errorKind) }]
    return [...rest, { type: 'finish', finishReason: finishReasonOf(result['stop_reason']) }]
  }

  /** Counts what is known of a model call that has not ended, because the answer was stopped. */
  countOpenCall(): void {
    this.#usage.endCall()
  }

  #readStream(event: UncheckedFields): readonly AgentEvent[] {
    switch (event['type']) {
      case 'message_start': {
        const message = fieldsOf(event['message'])
        this.#streamed.add(textOrEmpty(message['id']))
        this.#usage.beginCall(message)
        return this.#beginStep()
      }
      case 'content_block_start':
        return [...this.#pause(), ...this.#startBlock(fieldsOf(event['content_block']))]
      case 'content_block_delta':
        return this.#readDelta(fieldsOf(event['delta']))
      case 'content_block_stop':
        return this.#pause()
      case 'message_delta':
        this.#usage.update(event['usage'])
        return []
      case 'message_stop':
        this.#usage.endCall()
        return [...this.#pause(), { type: 'response-done' }]
      default:
        return []
    }
  }

  #beginStep(): readonly AgentEvent[] {
    const before = this.#endStep()
    this.#text = new ShownOnce()
    this.#hasOpenStep = true
    return [...before, { type: 'step-start' }]
  }

  #endStep(): readonly AgentEvent[] {
    const rest = this.#pause()
    if (!this.#hasOpenStep) return rest
    this.#hasOpenStep = false
    return [...rest, { type: 'step-end' }]
  }

  #openCallId: string | undefined

  #startBlock(block: UncheckedFields): readonly AgentEvent[] {
    this.#openCallId = undefined
    if (!isCall(block)) return []
    this.#openCallId = block.id
    return [{ type: 'tool-input-start', ...namesOf(block) }]
  }

  #readDelta(delta: UncheckedFields): readonly AgentEvent[] {
    switch (delta['type']) {
      case 'text_delta':
        return this.#takeText(textOrEmpty(delta['text']))
      case 'thinking_delta':
        return [{ type: 'reasoning-delta', text: textOrEmpty(delta['thinking']) }]
      case 'input_json_delta': {
        const toolCallId = this.#openCallId
        const text = textOrEmpty(delta['partial_json'])
        return toolCallId === undefined || text === '' ? [] : [{ type: 'tool-input-delta', toolCallId, text }]
      }
      default:
        return []
    }
  }

  #takeText(text: string): readonly AgentEvent[] {
    return textEvents(this.#text.take(text))
  }

  #pause(): readonly AgentEvent[] {
    return textEvents(this.#text.pause())
  }

  /** Calls come from here with their whole input. Texts only when they were not streamed, as those of commands. */
  #readBlocks(message: UncheckedFields): readonly AgentEvent[] {
    const isStreamed = this.#streamed.has(textOrEmpty(message['id']))
    return recordsIn(message['content']).flatMap(block => {
      if (isCall(block)) return this.#readCall(block)
      const result = this.#readResult(block)
      if (isStreamed || result.length > 0) return result
      // What Claude Code says about an error is for its own terminal. People read a sentence of ours.
      if (block['type'] !== 'text' || this.#errorKind !== undefined) return []
      return [...this.#takeText(textOrEmpty(block['text'])), ...this.#pause()]
    })
  }

  #readCall(block: CallBlock): readonly AgentEvent[] {
    this.#called.set(block.id, block.name)
    return [...this.#pause(), { type: 'tool-call', ...namesOf(block), input: block['input'] ?? {} }]
  }

  /** Results of Claude Code's tools are messages of the user. Those of Anthropic's own tools are in the answer. */
  #readResult(block: UncheckedFields): readonly AgentEvent[] {
    const { type, tool_use_id: toolCallId, content } = block
    if (typeof type !== 'string' || !type.endsWith('tool_result') || typeof toolCallId !== 'string') return []
    const toolName = this.#called.get(toolCallId)
    if (toolName === undefined) return []
    const call = { toolCallId, toolName, input: undefined, ...(type === 'tool_result' ? {} : hosted) }
    const isError = block['is_error'] === true || textOrEmpty(fieldsOf(content)['type']).endsWith('_error')
    if (!isError) return [{ type: 'tool-result', ...call, output: outputOf(content) }]
    const output = outputOf(content)
    return [
      { type: 'tool-error', ...call, errorText: typeof output === 'string' ? output : 'The tool failed.' },
    ]
  }
}

const hosted = { providerExecuted: true }

interface CallBlock extends UncheckedFields {
  readonly id: string
  readonly name: string
}

function isCall(block: UncheckedFields): block is CallBlock {
  const { type, id, name } = block
  return (
    typeof type === 'string' &&
    type.endsWith('tool_use') &&
    typeof id === 'string' &&
    typeof name === 'string'
  )
}

/** The tools of an MCP server have the name of the server in theirs: `mcp__SERVER__TOOL`. People read the last part. */
function namesOf({ type, id: toolCallId, name: toolName }: CallBlock) {
  const [, title] = /^mcp__.+?__(.+)$/.exec(toolName) ?? []
  return { toolCallId, toolName, title, ...(type === 'tool_use' ? {} : hosted) }
}

/** Returns the text of a result. What has more than texts is returned as it is. */
function outputOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? ''
  const texts = recordsIn(content)
  if (!texts.every(({ type }) => type === 'text')) return content
  return texts.map(({ text }) => textOrEmpty(text)).join('')
}

function finishReasonOf(stopReason: unknown): FinishReason {
  return stopReason === 'refusal' ? 'content-filter' : 'stop'
}

/** What the SDK calls the errors of the API, and the HTTP status of each. */
const statuses: Readonly<Record<string, number>> = {
  authentication_failed: 401,
  oauth_org_not_allowed: 403,
  account_on_hold: 403,
  verification_required: 403,
  cloud_credential_error: 401,
  billing_error: 402,
  rate_limit: 429,
  overloaded: 529,
  invalid_request: 400,
  model_not_found: 404,
  server_error: 500,
}

/**
 * Returns the error of a query that has failed. An error of the API becomes the one that the AI SDK would have thrown, so
 * that people are told the same. The texts are for the log.
 */
function failureOf(result: Readonly<Record<string, unknown>>, errorKind: unknown): Error {
  const { errors, result: text, subtype, api_error_status: given } = result
  const said = Array.isArray(errors) && errors.length > 0 ? errors.join('\n') : text
  const message =
    typeof said === 'string' && said !== '' ? said : `Claude Code has failed: ${String(subtype)}.`
  const statusCode = typeof given === 'number' ? given : statuses[String(errorKind)]
  if (statusCode === undefined) return new Error(message)
  return new APICallError({ message, url: '', requestBodyValues: {}, statusCode })
}

import type { ChunkOf } from '@throughline/protocol'
import type { AgUiBody, AgUiEntry } from './ag-ui-event.ts'

interface AgUiCall {
  /** The message that has the call. */
  readonly messageId: string
  /** Its arguments are still being written. */
  readonly isOpen: boolean
  readonly hasArgs: boolean
}

type CallStart = Pick<ChunkOf<'tool-input-start'>, 'toolCallId' | 'toolName'>

interface CallResult {
  readonly toolCallId: string
  readonly content: string
  readonly isError: boolean
}

/**
 * Clients know all calls of a conversation by their ids, but providers number the calls of one answer only. So the
 * message id of the answer is a part of the id.
 */
export function agUiCallId(author: string, toolCallId: string): string {
  return `${author}:${toolCallId}`
}

/** The tool calls of a run, and the messages that they are in. */
export class AgUiCalls {
  /** The calls without a result, by their ids in the log. */
  readonly #open = new Map<string, AgUiCall>()
  /** The newest message, if its author's next call belongs to it. */
  #newest: { readonly author: string; readonly messageId: string } | undefined

  readonly #answered: ReadonlySet<string>

  /** `answered`: the ids of calls whose results the client has made itself. */
  constructor(answered: ReadonlySet<string> = new Set()) {
    this.#answered = answered
  }

  /** The id of the message that has an open call. */
  messageOf(toolCallId: string): string | undefined {
    return this.#open.get(toolCallId)?.messageId
  }

  /** A text message has begun: calls that its author makes next belong to it. */
  textBegan(author: string, messageId: string): void {
    this.#newest = { author, messageId }
  }

  /** A reasoning message has begun: no call belongs to the text before it. */
  reasoningBegan(): void {
    this.#newest = undefined
  }

  /** A step has begun: the author's calls do not belong to the text of the last step. */
  stepBegan(author: string): void {
    if (this.#newest?.author === author) this.#newest = undefined
  }

  /** Returns the events for a chunk of a tool call. */
  write(entry: AgUiEntry): readonly AgUiBody[] {
    const { messageId: author, chunk } = entry
    switch (chunk.type) {
      case 'tool-input-start':
        // A call that begins again is the same call here: events that were sent cannot be taken back.
        return this.#open.has(chunk.toolCallId) ? [] : [this.#begin(entry, chunk)]
      case 'tool-input-delta':
        return this.#addArgs(author, chunk)
      case 'tool-input-available':
        return this.#endArgs(entry, chunk, JSON.stringify(chunk.input ?? null))
      case 'tool-input-error': {
        // Input that is not JSON stays as the model wrote it.
        const args = typeof chunk.input === 'string' ? chunk.input : JSON.stringify(chunk.input ?? null)
        const made = this.#endArgs(entry, chunk, args)
        return [...made, ...this.#end(author, { ...chunk, content: chunk.errorText, isError: true })]
      }
      case 'tool-output-available':
        if (chunk.preliminary === true) return [custom(entry)]
        return this.#end(author, { ...chunk, content: textOf(chunk.output), isError: false })
      case 'tool-output-error':
        return this.#end(author, { ...chunk, content: chunk.errorText, isError: true })
      case 'tool-output-denied':
        return this.#end(author, { ...chunk, content: 'The call was denied.', isError: true })
      default:
        return [custom(entry)]
    }
  }

  // A call belongs to the text or to the calls right before it: together they are one message.
  #begin({ messageId: author, seq }: AgUiEntry, { toolCallId, toolName }: CallStart): AgUiBody {
    const messageId = this.#newest?.author === author ? this.#newest.messageId : `${author}:calls-${seq}`
    this.#open.set(toolCallId, { messageId, isOpen: true, hasArgs: false })
    this.#newest = { author, messageId }
    return {
      type: 'TOOL_CALL_START',
      toolCallId: agUiCallId(author, toolCallId),
      toolCallName: toolName,
      parentMessageId: messageId,
    }
  }

  #addArgs(
    author: string,
    { toolCallId, inputTextDelta: delta }: ChunkOf<'tool-input-delta'>,
  ): readonly AgUiBody[] {
    const call = this.#open.get(toolCallId)
    if (call === undefined || delta === '') return []
    this.#open.set(toolCallId, { ...call, hasArgs: true })
    return [{ type: 'TOOL_CALL_ARGS', toolCallId: agUiCallId(author, toolCallId), delta }]
  }

  #endArgs(entry: AgUiEntry, start: CallStart, args: string): readonly AgUiBody[] {
    const toolCallId = agUiCallId(entry.messageId, start.toolCallId)
    const known = this.#open.get(start.toolCallId)
    const events: AgUiBody[] = known === undefined ? [this.#begin(entry, start)] : []
    if (known?.hasArgs !== true) events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta: args })
    const call = this.#open.get(start.toolCallId)
    if (call !== undefined) this.#open.set(start.toolCallId, { ...call, isOpen: false })
    return [...events, { type: 'TOOL_CALL_END', toolCallId }]
  }

  #end(author: string, { toolCallId, content, isError }: CallResult): readonly AgUiBody[] {
    const id = agUiCallId(author, toolCallId)
    const isOpen = this.#open.get(toolCallId)?.isOpen === true
    this.#open.delete(toolCallId)
    // A call after a result begins another message.
    this.#newest = undefined
    const result: AgUiBody = {
      type: 'TOOL_CALL_RESULT',
      messageId: `${id}:result`,
      toolCallId: id,
      // Clients that read only the content recognise a failure by this.
      content: isError ? JSON.stringify({ error: content }) : content,
      role: 'tool',
      ...(isError && { metadata: { throughline: { isError }, tanstack: { state: 'output-error' } } }),
    }
    const results = this.#answered.has(id) ? [] : [result]
    return isOpen ? [{ type: 'TOOL_CALL_END', toolCallId: id }, ...results] : results
  }
}

/** A chunk that AG-UI has no event for, as it is. */
export function custom({ messageId: author, chunk }: AgUiEntry): AgUiBody {
  const { type: name, ...value } = chunk
  if (!('toolCallId' in value)) return { type: 'CUSTOM', name, value }
  return { type: 'CUSTOM', name, value: { ...value, toolCallId: agUiCallId(author, value.toolCallId) } }
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? null)
}

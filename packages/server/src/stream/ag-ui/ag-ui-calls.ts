import type { ChunkOf } from '@throughline/protocol/chunk'
import type { AgUiBody, AgUiEntry } from './ag-ui-event.ts'

/** The tool calls of a run, and the messages that hold them. */
export interface AgUiCalls {
  /** Those without a result, by their ids in the log. */
  readonly calls: ReadonlyMap<string, AgUiCall>
  /** The newest message, when its author's next call belongs to it. */
  readonly holder: { readonly author: string; readonly messageId: string } | undefined
}

interface AgUiCall {
  /** The message that holds it. */
  readonly messageId: string
  /** Its arguments are on their way. */
  readonly isOpen: boolean
  readonly hasArgs: boolean
}

export interface AgUiCallsProjected {
  readonly calls: AgUiCalls
  readonly events: readonly AgUiBody[]
}

/** Clients know all calls of a conversation by their ids, providers number those of one answer: the answer makes the difference. */
export function agUiCallId(author: string, toolCallId: string): string {
  return `${author}:${toolCallId}`
}

/** Turns what happens to a tool call into events. Pure. */
export function projectAgUiCall(before: AgUiCalls, entry: AgUiEntry): AgUiCallsProjected {
  const { messageId: author, chunk } = entry
  switch (chunk.type) {
    case 'tool-input-start':
      // A call that begins again goes on here: nothing can be taken back.
      if (before.calls.has(chunk.toolCallId)) return { calls: before, events: [] }
      return began(before, entry, chunk)
    case 'tool-input-delta': {
      const { toolCallId, inputTextDelta: delta } = chunk
      const call = before.calls.get(toolCallId)
      if (call === undefined || delta === '') return { calls: before, events: [] }
      return {
        calls: withCall(before, toolCallId, { ...call, hasArgs: true }),
        events: [{ type: 'TOOL_CALL_ARGS', toolCallId: agUiCallId(author, toolCallId), delta }],
      }
    }
    case 'tool-input-available':
      return called(before, entry, { ...chunk, args: JSON.stringify(chunk.input ?? null) })
    case 'tool-input-error': {
      // What is no JSON stays as the model wrote it.
      const args = typeof chunk.input === 'string' ? chunk.input : JSON.stringify(chunk.input ?? null)
      const made = called(before, entry, { ...chunk, args })
      const failed = answered(made.calls, entry, { ...chunk, content: chunk.errorText, isError: true })
      return { calls: failed.calls, events: [...made.events, ...failed.events] }
    }
    case 'tool-output-available':
      if (chunk.preliminary === true) return { calls: before, events: [custom(entry)] }
      return answered(before, entry, { ...chunk, content: textOf(chunk.output), isError: false })
    case 'tool-output-error':
      return answered(before, entry, { ...chunk, content: chunk.errorText, isError: true })
    case 'tool-output-denied':
      return answered(before, entry, { ...chunk, content: 'The call was denied.', isError: true })
    default:
      return { calls: before, events: [custom(entry)] }
  }
}

/** A chunk that AG-UI has no event for, as it is. */
export function custom({ messageId: author, chunk }: AgUiEntry): AgUiBody {
  const { type: name, ...value } = chunk
  if (!('toolCallId' in value)) return { type: 'CUSTOM', name, value }
  return { type: 'CUSTOM', name, value: { ...value, toolCallId: agUiCallId(author, value.toolCallId) } }
}

type CallStart = Pick<ChunkOf<'tool-input-start'>, 'toolCallId' | 'toolName'>

// A call belongs to the text right before it, or to the calls right before it: together they are one message.
function began(
  before: AgUiCalls,
  { messageId: author, seq }: AgUiEntry,
  { toolCallId, toolName }: CallStart,
): AgUiCallsProjected {
  const messageId = before.holder?.author === author ? before.holder.messageId : `${author}:calls-${seq}`
  return {
    calls: {
      ...withCall(before, toolCallId, { messageId, isOpen: true, hasArgs: false }),
      holder: { author, messageId },
    },
    events: [
      {
        type: 'TOOL_CALL_START',
        toolCallId: agUiCallId(author, toolCallId),
        toolCallName: toolName,
        parentMessageId: messageId,
      },
    ],
  }
}

function called(
  before: AgUiCalls,
  entry: AgUiEntry,
  { toolCallId, toolName, args }: CallStart & { readonly args: string },
): AgUiCallsProjected {
  const known = before.calls.get(toolCallId)
  const start =
    known === undefined ? began(before, entry, { toolCallId, toolName }) : { calls: before, events: [] }
  const call = start.calls.calls.get(toolCallId)
  const id = agUiCallId(entry.messageId, toolCallId)
  return {
    calls: call === undefined ? start.calls : withCall(start.calls, toolCallId, { ...call, isOpen: false }),
    events: [
      ...start.events,
      ...(known?.hasArgs === true ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId: id, delta: args } as const]),
      { type: 'TOOL_CALL_END', toolCallId: id },
    ],
  }
}

interface Answer {
  readonly toolCallId: string
  readonly content: string
  readonly isError: boolean
}

function answered(
  before: AgUiCalls,
  { messageId: author }: AgUiEntry,
  { toolCallId, content, isError }: Answer,
): AgUiCallsProjected {
  const calls = new Map(before.calls)
  calls.delete(toolCallId)
  const id = agUiCallId(author, toolCallId)
  return {
    // What is called after a result is another message's.
    calls: { calls, holder: undefined },
    events: [
      ...(before.calls.get(toolCallId)?.isOpen === true
        ? [{ type: 'TOOL_CALL_END', toolCallId: id } as const]
        : []),
      {
        type: 'TOOL_CALL_RESULT',
        messageId: `${id}:result`,
        toolCallId: id,
        // Clients that read nothing but the content can tell a failure by this.
        content: isError ? JSON.stringify({ error: content }) : content,
        role: 'tool',
        ...(isError && { metadata: { throughline: { isError }, tanstack: { state: 'output-error' } } }),
      },
    ],
  }
}

function withCall(before: AgUiCalls, toolCallId: string, call: AgUiCall): AgUiCalls {
  return { ...before, calls: new Map(before.calls).set(toolCallId, call) }
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? null)
}

import { newTextIn } from '@throughline/protocol/monotonic-text'
import { endThinkTags, noThinkTags, stripThinkTags, type ThinkTags } from './think-tags.ts'
import type { ToolMeta } from './tool-meta.ts'

export interface ToolFailure {
  readonly toolCallId: string
  readonly toolName: string
  readonly message: string
}

export interface ToolEnd {
  readonly toolCallId: string
  readonly toolName: string
  /** Why it failed; missing when it did not. */
  readonly error?: string | undefined
}

/** What is known about a run while its answer goes to a channel. */
export interface ReplyState {
  /** The texts of the messages that have ended: what final payloads are made of. */
  readonly assistantTexts: readonly string[]
  readonly toolMetas: readonly ToolMeta[]
  readonly toolMetaById: ReadonlyMap<string, ToolMeta>
  /** The calls whose summary was shown. */
  readonly toolSummaryById: ReadonlySet<string>
  readonly lastToolError: ToolFailure | undefined
  /** All text of the current message as the provider sent it, for telling what it repeats. */
  readonly deltaBuffer: string
  /** Text that waits to be sent, when there is no chunker. */
  readonly blockBuffer: string
  /** The current message as it is shown: without what the model thinks. */
  readonly messageText: string
  readonly hasMessageEnded: boolean
  readonly thinkTags: ThinkTags
}

export const noReply: ReplyState = {
  assistantTexts: [],
  toolMetas: [],
  toolMetaById: new Map(),
  toolSummaryById: new Set(),
  lastToolError: undefined,
  deltaBuffer: '',
  blockBuffer: '',
  messageText: '',
  hasMessageEnded: false,
  thinkTags: noThinkTags,
}

export type AnswerEvent =
  | { readonly type: 'message-start' }
  | { readonly type: 'text-delta'; readonly delta: string }
  /** Providers tell a text's new end as `delta`, or repeat all of it as `content`. */
  | { readonly type: 'text-start' | 'text-end'; readonly delta?: string; readonly content?: string }
  | { readonly type: 'message-end'; readonly content?: string }

export interface ReplyUpdate {
  readonly state: ReplyState
  /** New text to show. */
  readonly added: string
}

/**
 * Takes one event of a message. Pure. What was seen of a message is forgotten when the next one starts and not
 * when it ends, because providers repeat the full text even after its end.
 */
export function updateReply(before: ReplyState, event: AnswerEvent): ReplyUpdate {
  switch (event.type) {
    case 'message-start':
      return { state: startMessage(before), added: '' }
    case 'text-delta':
      return addText(before, event.delta)
    case 'text-start':
    case 'text-end':
      return addText(before, event.delta || newText(before, event.content))
    case 'message-end':
      return endMessage(addText(before, newText(before, event.content)))
  }
}

/** Without a chunker, new text waits in `blockBuffer`. */
export function bufferBlock(state: ReplyState, added: string): ReplyState {
  return added === '' ? state : { ...state, blockBuffer: state.blockBuffer + added }
}

/** Takes out what waits in `blockBuffer`. */
export function takeBlock(state: ReplyState): { readonly state: ReplyState; readonly text: string } {
  return { state: { ...state, blockBuffer: '' }, text: state.blockBuffer }
}

/** Which of the `assistantTexts` the current message is, or will be. */
export function messageIndexOf({ assistantTexts, hasMessageEnded, messageText }: ReplyState): number {
  return hasMessageEnded && messageText !== '' ? assistantTexts.length - 1 : assistantTexts.length
}

/** A tool was called. Its summary counts as shown from now on. */
export function recordTool(before: ReplyState, meta: ToolMeta): ReplyState {
  const { toolCallId } = meta
  return {
    ...before,
    toolMetas: [...before.toolMetas.filter(other => other.toolCallId !== toolCallId), meta],
    toolMetaById: new Map(before.toolMetaById).set(toolCallId, meta),
    toolSummaryById: new Set(before.toolSummaryById).add(toolCallId),
  }
}

/** A tool has ended. Its failure is forgotten when the same tool succeeds later. */
export function recordToolEnd(before: ReplyState, end: ToolEnd): ReplyState {
  const { toolCallId, toolName, error } = end
  if (error !== undefined) return { ...before, lastToolError: { toolCallId, toolName, message: error } }
  return before.lastToolError?.toolName === toolName ? { ...before, lastToolError: undefined } : before
}

function startMessage(before: ReplyState): ReplyState {
  const { blockBuffer } = before
  return {
    ...before,
    deltaBuffer: '',
    messageText: '',
    thinkTags: noThinkTags,
    hasMessageEnded: false,
    // What still waits is of another message.
    blockBuffer: blockBuffer === '' ? '' : `${blockBuffer}\n\n`,
  }
}

function newText(state: ReplyState, content = ''): string {
  return newTextIn(content, state.deltaBuffer)
}

function addText(before: ReplyState, text: string): ReplyUpdate {
  if (text === '') return { state: before, added: '' }
  const { tags, text: added } = stripThinkTags(before.thinkTags, text)
  const state = { ...before, deltaBuffer: before.deltaBuffer + text, thinkTags: tags }
  return showText(state, added)
}

function endMessage({ state: before, added }: ReplyUpdate): ReplyUpdate {
  const { tags, text } = endThinkTags(before.thinkTags)
  const { state, added: last } = showText({ ...before, thinkTags: tags }, text)
  const isFirstEnd = !state.hasMessageEnded && state.messageText !== ''
  const assistantTexts = isFirstEnd ? [...state.assistantTexts, state.messageText] : state.assistantTexts
  return { state: { ...state, assistantTexts, hasMessageEnded: true }, added: added + last }
}

/** Text that comes after its message has ended still belongs to it. */
function showText(before: ReplyState, added: string): ReplyUpdate {
  if (added === '') return { state: before, added }
  const messageText = before.messageText + added
  const others = before.assistantTexts.slice(0, messageIndexOf(before))
  const assistantTexts = before.hasMessageEnded ? [...others, messageText] : before.assistantTexts
  return { state: { ...before, messageText, assistantTexts }, added }
}

import type { UIMessage } from 'ai'
import type { MessageMetadata } from './metadata.ts'

type ProviderMetadata = NonNullable<Extract<UIMessage['parts'][number], { type: 'text' }>['providerMetadata']>
type Citations = NonNullable<Extract<UIMessage['parts'][number], { type: 'text' }>['citations']>

interface WithProviderMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** Text for the reader. */
export interface TextPart extends WithProviderMetadata {
  readonly type: 'text'
  readonly text: string
  /** `streaming` while more may come. */
  readonly state?: 'streaming' | 'done' | undefined
  readonly citations?: Citations | undefined
}

/** What the model thinks before it writes. Pages show it apart from the text. */
export interface ReasoningPart extends WithProviderMetadata {
  readonly type: 'reasoning'
  readonly id?: string | undefined
  readonly text: string
  /** `streaming` while more may come. */
  readonly state?: 'streaming' | 'done' | undefined
}

/** The states of a tool call, as in the AI SDK. The last three end it, except that an output may be preliminary. */
export type ToolState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied'

/** The request for a person's approval, and the decision as soon as there is one. */
export interface PartApproval {
  readonly id: string
  readonly approved?: boolean | undefined
  readonly reason?: string | undefined
  readonly requestReason?: string | undefined
  readonly descriptor?: unknown | undefined
  readonly inputSchemaInput?: unknown | undefined
  readonly isAutomatic?: boolean | undefined
  readonly signature?: string | undefined
}

/**
 * The call of a tool. Has the fields of the AI SDK's `ToolUIPart` and `DynamicToolUIPart`; `state` says which of the
 * optional ones are there.
 */
export interface ToolPart {
  readonly type: `tool-${string}` | 'dynamic-tool'
  /** Only for `dynamic-tool`. Otherwise the name is in the type: `tool-NAME`. `toolNameOf` reads both. */
  readonly toolName?: string | undefined
  /** Names the call. Chunks and approvals refer to it. */
  readonly toolCallId: string
  readonly state: ToolState
  /** The name of the tool that people read. */
  readonly title?: string | undefined
  /** The arguments of the call. `undefined` while they are being written; see `toolInput`. */
  readonly input?: unknown | undefined
  /** The text of the input as far as it has arrived. `toolInput` parses it. */
  readonly rawInput?: string | undefined
  readonly inputEncoding?: 'json' | 'text' | undefined
  /** What the tool returned. */
  readonly output?: unknown | undefined
  /** Why the call failed. */
  readonly errorText?: string | undefined
  /** True while the tool is still running: a later output replaces this one. */
  readonly preliminary?: boolean | undefined
  /** True when the provider of the model runs the tool itself. */
  readonly providerExecuted?: boolean | undefined
  readonly toolMetadata?: unknown | undefined
  readonly callProviderMetadata?: ProviderMetadata | undefined
  readonly resultProviderMetadata?: ProviderMetadata | undefined
  /** Only for a call that needs the approval of a person. */
  readonly approval?: PartApproval | undefined
}

/** Data of an application or of ours, such as the progress of a tool call (`data-step`). */
export interface DataPart {
  readonly type: `data-${string}`
  /** A later chunk with the same type and id replaces the data. */
  readonly id?: string | undefined
  readonly data: unknown
}

/** A file: one that a person sent, or one that the model made. */
export interface FilePart extends WithProviderMetadata {
  readonly type: 'file' | 'reasoning-file'
  /** Such as `image/png`. */
  readonly mediaType: string
  /** A person's file has the path of the file on the server. A model's file is a data URL. */
  readonly url: string
  /** The name of the file, as its sender gave it. */
  readonly filename?: string | undefined
}

/** A web page that the model names as its source. */
export interface SourceUrlPart extends WithProviderMetadata {
  readonly type: 'source-url'
  readonly sourceId: string
  readonly url: string
  readonly title?: string | undefined
}

/** A document that the model names as its source. */
export interface SourceDocumentPart extends WithProviderMetadata {
  readonly type: 'source-document'
  readonly sourceId: string
  readonly mediaType: string
  readonly title: string
  readonly filename?: string | undefined
}

/** A part that only one provider knows. */
export interface CustomPart extends WithProviderMetadata {
  readonly type: 'custom'
  readonly kind: `${string}.${string}`
}

/** A message that was sent to the agent while it was at work. */
export interface SteeringMessagePart {
  readonly type: 'steering-message'
  readonly id: string
  readonly parts: readonly unknown[]
}

/** A step begins here: one model call with the tools that it asks for. */
export interface StepStartPart {
  readonly type: 'step-start'
}

/** One part of a message. `type` says which. */
export type Part =
  | TextPart
  | ReasoningPart
  | ToolPart
  | DataPart
  | FilePart
  | SourceUrlPart
  | SourceDocumentPart
  | CustomPart
  | SteeringMessagePart
  | StepStartPart

/** One message of a chat: an AI SDK `UIMessage`, but read-only. Both have the same JSON. */
export interface Message {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  /** Who wrote the message, to whom, and how it ended. */
  readonly metadata?: MessageMetadata | undefined
  /** What the message says, in the order in which it happened. */
  readonly parts: readonly Part[]
}

/** Returns whether a part is the call of a tool. */
export function isToolPart(part: Part): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

/** Returns whether a part carries the data of an application: its type begins with `data-`. */
export function isDataPart(part: Part): part is DataPart {
  return part.type.startsWith('data-')
}

/** Returns whether a part is a file that is shown to people. */
export function isFilePart(part: Part): part is FilePart {
  return part.type === 'file'
}

/** Returns the name of the tool that was called. */
export function toolNameOf(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? (part.toolName ?? 'tool') : part.type.slice('tool-'.length)
}

/** Returns all text of a message, without its reasoning. There is a blank line between two text parts. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap(part => (part.type === 'text' && part.text !== '' ? [part.text] : []))
    .join('\n\n')
}

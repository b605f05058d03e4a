import type { UIMessage } from 'ai'
import type { MessageMetadata } from './metadata.ts'

type ProviderMetadata = NonNullable<Extract<UIMessage['parts'][number], { type: 'text' }>['providerMetadata']>
type Citations = NonNullable<Extract<UIMessage['parts'][number], { type: 'text' }>['citations']>

interface WithProviderMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined
}

export interface TextPart extends WithProviderMetadata {
  readonly type: 'text'
  readonly text: string
  readonly state?: 'streaming' | 'done' | undefined
  readonly citations?: Citations | undefined
}

export interface ReasoningPart extends WithProviderMetadata {
  readonly type: 'reasoning'
  readonly id?: string | undefined
  readonly text: string
  readonly state?: 'streaming' | 'done' | undefined
}

export type ToolState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied'

export interface ToolApproval {
  readonly id: string
  readonly approved?: boolean | undefined
  readonly reason?: string | undefined
  readonly requestReason?: string | undefined
  readonly descriptor?: unknown | undefined
  readonly inputSchemaInput?: unknown | undefined
  readonly isAutomatic?: boolean | undefined
  readonly signature?: string | undefined
}

/** The fields of `ToolUIPart` and `DynamicToolUIPart`; `state` says which of the optional ones are there. */
export interface ToolPart {
  readonly type: `tool-${string}` | 'dynamic-tool'
  /** Only on `dynamic-tool`; otherwise the name is part of the type. */
  readonly toolName?: string | undefined
  readonly toolCallId: string
  readonly state: ToolState
  readonly title?: string | undefined
  readonly input?: unknown | undefined
  /** The input's text as received so far; `toolInput` reads it. */
  readonly rawInput?: string | undefined
  readonly inputEncoding?: 'json' | 'text' | undefined
  readonly output?: unknown | undefined
  readonly errorText?: string | undefined
  /** The output will be replaced: the tool is still running. */
  readonly preliminary?: boolean | undefined
  readonly providerExecuted?: boolean | undefined
  readonly toolMetadata?: unknown | undefined
  readonly callProviderMetadata?: ProviderMetadata | undefined
  readonly resultProviderMetadata?: ProviderMetadata | undefined
  readonly approval?: ToolApproval | undefined
}

export interface DataPart {
  readonly type: `data-${string}`
  readonly id?: string | undefined
  readonly data: unknown
}

export interface FilePart extends WithProviderMetadata {
  readonly type: 'file' | 'reasoning-file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string | undefined
}

export interface SourceUrlPart extends WithProviderMetadata {
  readonly type: 'source-url'
  readonly sourceId: string
  readonly url: string
  readonly title?: string | undefined
}

export interface SourceDocumentPart extends WithProviderMetadata {
  readonly type: 'source-document'
  readonly sourceId: string
  readonly mediaType: string
  readonly title: string
  readonly filename?: string | undefined
}

export interface CustomPart extends WithProviderMetadata {
  readonly type: 'custom'
  readonly kind: `${string}.${string}`
}

export interface SteeringMessagePart {
  readonly type: 'steering-message'
  readonly id: string
  readonly parts: readonly unknown[]
}

export interface StepStartPart {
  readonly type: 'step-start'
}

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

/** An AI SDK `UIMessage`, read-only. Same JSON. */
export interface Message {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly metadata?: MessageMetadata | undefined
  readonly parts: readonly Part[]
}

export function isToolPart(part: Part): part is ToolPart {
  return part.type === 'dynamic-tool' || part.type.startsWith('tool-')
}

export function isDataPart(part: Part): part is DataPart {
  return part.type.startsWith('data-')
}

export function toolNameOf(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? (part.toolName ?? 'tool') : part.type.slice('tool-'.length)
}

/** All visible text of a message; segments are joined by a blank line. */
export function textOf(message: Message): string {
  return message.parts
    .flatMap(part => (part.type === 'text' && part.text !== '' ? [part.text] : []))
    .join('\n\n')
}

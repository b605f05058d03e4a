import type { ProviderMetadata } from '../agent/agent-event.ts'

/** The chunks of Mastra's `fullStream` that are read. Mastra has more. */
export type MastraChunk =
  | Chunk<'step-start', object>
  | Chunk<'step-finish', StepFinish>
  | Chunk<'text-delta' | 'reasoning-delta', { readonly text: string } & WithMetadata>
  | Chunk<'text-end' | 'reasoning-end', WithMetadata>
  | Chunk<'tool-call-input-streaming-start', CallStart>
  | Chunk<'tool-call-delta', { readonly toolCallId: string; readonly argsTextDelta: string }>
  | Chunk<'tool-call', CallStart & { readonly args?: unknown }>
  | Chunk<
      'tool-result',
      CallStart & { readonly args?: unknown; readonly result: unknown; readonly isError?: boolean }
    >
  | Chunk<'tool-error', CallStart & { readonly args?: unknown; readonly error: unknown }>
  | Chunk<'tool-call-approval' | 'tool-call-suspended', SuspendedCall>
  | Chunk<'tool-output-denied', { readonly toolCallId: string }>
  | Chunk<'tool-output', ToolOutput>
  | Chunk<'source', MastraSource>
  | Chunk<'file' | 'reasoning-file', MadeFile>
  | Chunk<'finish', { readonly stepResult: { readonly reason: string } }>
  | Chunk<'tripwire', { readonly reason: string; readonly retry?: boolean }>
  | Chunk<'abort', object>
  | Chunk<'error', { readonly error: unknown }>

type Chunk<Type extends string, Payload> = Type extends string
  ? { readonly type: Type; readonly payload: Payload }
  : never

/** What a chunk of this type carries. */
export type MastraPayload<Type extends MastraChunk['type']> = Extract<MastraChunk, { type: Type }>['payload']

interface WithMetadata {
  readonly providerMetadata?: ProviderMetadata
}

/** What is known of a call before its input has come. */
export interface CallStart extends WithMetadata {
  readonly toolCallId: string
  readonly toolName: string
  readonly providerExecuted?: boolean
  readonly dynamic?: boolean
}

/** A call for which Mastra has suspended the run. */
export interface SuspendedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
}

/** What a tool writes while it works: values of its own, or the chunks of an agent or a workflow that it runs. */
interface ToolOutput {
  readonly toolCallId: string
  readonly toolName?: string
  readonly output: unknown
}

/** The end of one model call and its tools. `metadata` names the model. */
export interface StepFinish {
  readonly output: { readonly usage: MastraUsage }
  readonly metadata: Readonly<Record<string, unknown>>
}

/** All numbers are missing when the model call has failed. */
interface MastraUsage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly totalTokens: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
}

export interface MastraSource {
  readonly id: string
  readonly sourceType: 'url' | 'document'
  readonly title: string
  readonly mimeType?: string
  readonly filename?: string
  readonly url?: string
}

/** A file that the model has made. A text in `data` is base64. */
export interface MadeFile {
  readonly data: string | Uint8Array
  readonly base64?: string
  readonly mimeType: string
}

const readTypes: Readonly<Record<MastraChunk['type'], true>> = {
  'step-start': true,
  'step-finish': true,
  'text-delta': true,
  'reasoning-delta': true,
  'text-end': true,
  'reasoning-end': true,
  'tool-call-input-streaming-start': true,
  'tool-call-delta': true,
  'tool-call': true,
  'tool-result': true,
  'tool-error': true,
  'tool-call-approval': true,
  'tool-call-suspended': true,
  'tool-output-denied': true,
  'tool-output': true,
  source: true,
  file: true,
  'reasoning-file': true,
  finish: true,
  tripwire: true,
  abort: true,
  error: true,
}

/** Returns whether a chunk of Mastra's stream is one that is read. */
export function isMastraChunk(chunk: { readonly type: string }): chunk is MastraChunk {
  return Object.hasOwn(readTypes, chunk.type)
}

import { z } from 'zod'
import type { OlderSdk } from '../../src/stream/sdk/sdk-fields.ts'

// What the strict chunk schemas of ai 5.0.0 and 6.0.0 take, written down from those packages. An integration test reads
// the same streams with the packages themselves.

const text = z.string()
const flag = z.boolean().optional()
const metadata = z.record(text, z.record(text, z.json())).optional()

const call = { toolCallId: text, toolName: text, providerExecuted: flag, dynamic: flag }
const result = { toolCallId: text, providerExecuted: flag, dynamic: flag }

function chunk(type: string, fields: z.ZodRawShape) {
  return z.strictObject({ type: z.literal(type), ...fields })
}

const spoken = ['text', 'reasoning'].flatMap(kind => [
  chunk(`${kind}-start`, { id: text, providerMetadata: metadata }),
  chunk(`${kind}-delta`, { id: text, delta: text, providerMetadata: metadata }),
  chunk(`${kind}-end`, { id: text, providerMetadata: metadata }),
])

const common = [
  ...spoken,
  chunk('error', { errorText: text }),
  chunk('tool-input-delta', { toolCallId: text, inputTextDelta: text }),
  chunk('tool-output-error', { ...result, errorText: text }),
  chunk('source-url', { sourceId: text, url: text, title: text.optional(), providerMetadata: metadata }),
  chunk('source-document', {
    sourceId: text,
    mediaType: text,
    title: text,
    filename: text.optional(),
    providerMetadata: metadata,
  }),
  chunk('file', { url: text, mediaType: text, providerMetadata: metadata }),
  chunk('start-step', {}),
  chunk('finish-step', {}),
  chunk('start', { messageId: text.optional(), messageMetadata: z.unknown().optional() }),
  chunk('abort', {}),
  chunk('message-metadata', { messageMetadata: z.unknown() }),
  z.strictObject({
    type: text.startsWith('data-'),
    id: text.optional(),
    data: z.unknown(),
    transient: flag,
  }),
]

export const olderSdkChunk: Readonly<Record<OlderSdk, z.ZodType>> = {
  5: z.union([
    ...common,
    chunk('tool-input-start', call),
    chunk('tool-input-available', { ...call, input: z.unknown(), providerMetadata: metadata }),
    chunk('tool-output-available', { ...result, output: z.unknown() }),
    chunk('finish', { messageMetadata: z.unknown().optional() }),
  ]),
  6: z.union([
    ...common,
    chunk('tool-input-start', { ...call, title: text.optional() }),
    chunk('tool-input-available', {
      ...call,
      input: z.unknown(),
      providerMetadata: metadata,
      title: text.optional(),
    }),
    chunk('tool-input-error', {
      ...call,
      input: z.unknown(),
      providerMetadata: metadata,
      errorText: text,
      title: text.optional(),
    }),
    chunk('tool-output-available', { ...result, output: z.unknown(), preliminary: flag }),
    chunk('tool-approval-request', { approvalId: text, toolCallId: text }),
    chunk('tool-output-denied', { toolCallId: text }),
    chunk('finish', {
      finishReason: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']).optional(),
      messageMetadata: z.unknown().optional(),
    }),
  ]),
}

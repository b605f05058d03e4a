import { type ChunkOf, isRecord } from '@throughline/protocol'
/** Versions of the AI SDK that cannot read every chunk of the newest one. */
export type OlderSdk = 5 | 6

type FieldsByType = ReadonlyMap<string, readonly string[]>

const withMetadata = ['id', 'providerMetadata']
const delta = ['id', 'delta', 'providerMetadata']
const call = ['toolCallId', 'toolName', 'providerExecuted', 'dynamic']
const result = ['toolCallId', 'providerExecuted', 'dynamic']

const common: Readonly<Record<string, readonly string[]>> = {
  'text-start': withMetadata,
  'text-delta': delta,
  'text-end': withMetadata,
  'reasoning-start': withMetadata,
  'reasoning-delta': delta,
  'reasoning-end': withMetadata,
  error: ['errorText'],
  'tool-input-start': call,
  'tool-input-delta': ['toolCallId', 'inputTextDelta'],
  'tool-input-available': [...call, 'input', 'providerMetadata'],
  'tool-output-available': [...result, 'output'],
  'tool-output-error': [...result, 'errorText'],
  'source-url': ['sourceId', 'url', 'title', 'providerMetadata'],
  'source-document': ['sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'],
  file: ['url', 'mediaType', 'providerMetadata'],
  'start-step': [],
  'finish-step': [],
  start: ['messageId', 'messageMetadata'],
  finish: ['messageMetadata'],
  abort: [],
  'message-metadata': ['messageMetadata'],
}

/** The chunk types that the first version of each major knows, with the fields that its strict schemas allow. */
const chunkFields: Readonly<Record<OlderSdk, FieldsByType>> = {
  // ai 5.0.0
  5: new Map(Object.entries(common)),
  // ai 6.0.0
  6: new Map(
    Object.entries({
      ...common,
      'tool-input-start': [...call, 'title'],
      'tool-input-available': [...call, 'input', 'providerMetadata', 'title'],
      'tool-input-error': [...call, 'input', 'providerMetadata', 'errorText', 'title'],
      'tool-output-available': [...result, 'output', 'preliminary'],
      'tool-approval-request': ['approvalId', 'toolCallId'],
      'tool-output-denied': ['toolCallId'],
      finish: ['messageMetadata', 'finishReason'],
    }),
  ),
}

const dataFields = ['id', 'data', 'transient']

/** Returns the fields that a chunk of this type may have; `undefined` when the SDK does not know the type. */
export function fieldsFor(sdk: OlderSdk, type: string): readonly string[] | undefined {
  return chunkFields[sdk].get(type) ?? (type.startsWith('data-') ? dataFields : undefined)
}

const spoken = ['text', 'state', 'providerMetadata']
const toolPart = [
  'toolCallId',
  'toolName',
  'state',
  'input',
  'rawInput',
  'output',
  'errorText',
  'providerExecuted',
  'callProviderMetadata',
]

const partFields: Readonly<Record<OlderSdk, FieldsByType>> = {
  5: partsOf(toolPart),
  6: partsOf([...toolPart, 'title', 'preliminary', 'approval']),
}

function partsOf(tool: readonly string[]): FieldsByType {
  return new Map(
    Object.entries({
      text: spoken,
      reasoning: spoken,
      tool,
      'source-url': ['sourceId', 'url', 'title', 'providerMetadata'],
      'source-document': ['sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'],
      file: ['mediaType', 'filename', 'url', 'providerMetadata'],
      data: ['id', 'data'],
      'step-start': [],
    }),
  )
}

/** The same for a part of a message. The type is `tool` for all tool parts, and `data` for all data parts. */
export function partFieldsFor(sdk: OlderSdk, type: string): readonly string[] | undefined {
  return partFields[sdk].get(type)
}

type Metadata = NonNullable<ChunkOf<'text-start'>['providerMetadata']>

/**
 * Returns the mark that says which sub-agent made a tool call. It is in the call's `toolMetadata`, which older versions do
 * not know. They get it in `providerMetadata`, where the mark of a text is.
 */
export function ownMark(toolMetadata: unknown): Metadata[string] | undefined {
  const mark = isRecord(toolMetadata) ? toolMetadata['throughline'] : undefined
  return isMark(mark) ? mark : undefined
}

// Nobody else writes under this key, so its value need not be checked further.
function isMark(value: unknown): value is Metadata[string] {
  return isRecord(value)
}

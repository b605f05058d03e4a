import {
  type Chunk,
  type Entry,
  isChunk,
  isDataPart,
  isRecord,
  isToolPart,
  type Message,
  type Part,
  type ToolPart,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { chunkProjection } from '../chunks/chunk-projection.ts'
import {
  type ChunkFormOptions,
  chunkStream,
  chunksAtWait,
  type SubAgentForm,
  visibleIn,
} from '../chunks/chunk-stream.ts'
import { encodeProjected } from '../encode-projected.ts'
import { InlineProjection } from '../inline/inline-projection.ts'
import type { DirectForm, Projection } from '../run-form.ts'
import { fieldsFor, type OlderSdk, ownMark, partFieldsFor } from './sdk-fields.ts'

/** The error text of a denied call, for versions without denied calls. */
const deniedText = 'The call was denied.'

/**
 * Turns chunks into what an older version of the AI SDK can read. The schemas of these versions are strict: they refuse
 * types and fields that they do not know.
 */
export class SdkProjection implements Projection<Chunk> {
  readonly #sdk: OlderSdk
  readonly #newest: Projection<Chunk>
  /** Whether a call began as one of a dynamic tool, by the call's id. Older versions find it only if all its chunks say so. */
  readonly #isDynamic = new Map<string, boolean>()

  /** `newest`: the chunks of the run as the newest version reads them. */
  constructor(sdk: OlderSdk, newest: Projection<Chunk>) {
    this.#sdk = sdk
    this.#newest = newest
  }

  write(entry: Entry): readonly Chunk[] {
    return this.#newest.write(entry).flatMap(chunk => this.translate(chunk))
  }

  /** Returns one chunk as the older version reads it: nothing, one chunk or two. */
  translate(chunk: Chunk): readonly Chunk[] {
    if ('toolName' in chunk && !this.#isDynamic.has(chunk.toolCallId))
      this.#isDynamic.set(chunk.toolCallId, chunk.dynamic === true)
    return inOlderTypes(this.#sdk, chunk).flatMap(each => this.#withKnownFields(each))
  }

  /** The chunk with only the fields that the version knows; nothing when it does not know the type. */
  #withKnownFields(chunk: Chunk): readonly Chunk[] {
    const fields = fieldsFor(this.#sdk, chunk.type)
    if (fields === undefined) return []
    const isDynamic = 'toolCallId' in chunk && this.#isDynamic.get(chunk.toolCallId) === true
    const marked: Chunk & { readonly dynamic?: boolean } = withMark(chunk)
    const { dynamic: _, ...rest } = marked
    const all = { ...rest, ...(isDynamic && { dynamic: true }) }
    const value: unknown = Object.fromEntries(
      Object.entries(all).filter(([name]) => name === 'type' || fields.includes(name)),
    )
    return isChunk(value) ? [value] : []
  }
}

/** The chunk in types and values that the version has. */
function inOlderTypes(sdk: OlderSdk, chunk: Chunk): readonly Chunk[] {
  // Neither version knows this reason.
  if (chunk.type === 'finish' && chunk.finishReason === 'interrupted')
    return [{ ...chunk, finishReason: 'error' }]
  if (sdk === 6) return [chunk]
  switch (chunk.type) {
    case 'tool-input-error': {
      const { type, errorText, ...call } = chunk
      const failed = { type: 'tool-output-error' as const, toolCallId: chunk.toolCallId, errorText }
      return [{ ...call, type: 'tool-input-available' }, failed]
    }
    case 'tool-output-denied':
      return [{ type: 'tool-output-error', toolCallId: chunk.toolCallId, errorText: deniedText }]
    case 'tool-output-available':
      // AI SDK 5 takes any result for the final one.
      return chunk.preliminary === true ? [] : [chunk]
    default:
      return [chunk]
  }
}

function withMark(chunk: Chunk): Chunk {
  if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') return chunk
  const mark = ownMark(chunk.toolMetadata)
  return mark ? { ...chunk, providerMetadata: { ...chunk.providerMetadata, throughline: mark } } : chunk
}

/** The options of a form for an older AI SDK. */
interface SdkFormOptions extends ChunkFormOptions {
  readonly sdk: OlderSdk
  readonly subAgents: SubAgentForm
}

/** The chunks of a run as an older AI SDK reads them. */
export function sdkForm(run: Run, { seen, sdk, subAgents, ...options }: SdkFormOptions): DirectForm {
  const newest = subAgents === 'inline' ? new InlineProjection(run) : chunkProjection(run, subAgents)
  const projection = new SdkProjection(sdk, newest)
  return {
    ...chunkStream(run, options),
    readsWholeRun: true,
    encode: encodeProjected(run, projection, seen),
    waiting: {
      isVisible: visibleIn(run, subAgents),
      encode: () => chunksAtWait(chunk => projection.translate(chunk)),
    },
  }
}

/** Returns a message as a page with an older AI SDK has it after it has read the message's stream. */
export function sdkMessage(sdk: OlderSdk, message: Message): Message {
  const parts = message.parts.flatMap(part => olderPart(sdk, part))
  // Older versions refuse a loaded message without parts. A step start is a part that shows nothing.
  return { ...message, parts: parts.length === 0 ? [{ type: 'step-start' }] : parts }
}

function olderPart(sdk: OlderSdk, part: Part): readonly Part[] {
  const fields = partFieldsFor(sdk, isToolPart(part) ? 'tool' : isDataPart(part) ? 'data' : part.type)
  if (fields === undefined) return []
  const worded = isToolPart(part) ? olderTool(sdk, part) : part
  const kept = Object.entries(worded).filter(([name]) => name === 'type' || fields.includes(name))
  const older: unknown = Object.fromEntries(kept)
  return isPart(older) ? [older] : []
}

/** The tool part in states that the version knows. */
function olderTool(sdk: OlderSdk, part: ToolPart): ToolPart {
  const mark = ownMark(part.toolMetadata)
  const marked = mark
    ? { ...part, callProviderMetadata: { ...part.callProviderMetadata, throughline: mark } }
    : part
  if (sdk === 6) {
    const { id, approved, reason } = part.approval ?? {}
    return id === undefined ? marked : { ...marked, approval: { id, approved, reason } }
  }
  switch (part.state) {
    case 'approval-requested':
    case 'approval-responded':
      return { ...marked, state: 'input-available' }
    case 'output-denied':
      return { ...marked, state: 'output-error', errorText: deniedText }
    case 'output-available':
      return part.preliminary === true ? { ...marked, state: 'input-available', output: undefined } : marked
    default:
      return marked
  }
}

function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['type'] === 'string'
}

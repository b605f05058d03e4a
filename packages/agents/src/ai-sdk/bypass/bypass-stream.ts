import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { yieldEvery } from '@throughline/protocol/internal'
import type { TextStreamPart, ToolSet } from 'ai'

/**
 * At most this many model calls end in one turn of the event loop. An end costs the SDK far more than a delta that goes past
 * it. When many calls end at once, the last deltas of others must not wait for all of them.
 */
const takeTurnToEnd = yieldEvery(2)

/** A delta as the AI SDK returns it. */
export type DeltaPart = Extract<
  TextStreamPart<ToolSet>,
  { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }
>

interface BypassStreamOptions {
  /** The tools of the model. A tool that listens to the deltas of its input still gets them one by one. */
  readonly tools: ToolSet
  /** When the SDK has got no part for this time, the next delta goes through the SDK. In milliseconds. */
  readonly maxQuietMs: number
  readonly bypass: Bypass
}

/** The way past the SDK. `DeltaBypass` says what each function does. */
interface Bypass {
  pass(delta: DeltaPart): Promise<void> | undefined
  enter(isNew: boolean): void
  emptied(): Promise<void>
}

/**
 * Returns the stream of one model call as the SDK gets it. A delta goes past the SDK when nothing is under way inside the
 * SDK. Otherwise it would overtake what is inside, so it goes through the SDK, too. The SDK gets the text of the deltas that
 * went past it later, in one piece: it needs the text to tell the model in the next step what the model has said.
 */
export function bypassStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: BypassStreamOptions,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader()
  const call = new ModelCall(options)
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read()
          if (!done && call.mayPass(value)) {
            await call.pass(value)
            continue
          }
          if (done || isEnding(value)) await takeTurnToEnd()
          for (const part of call.takeOwed()) controller.enqueue(part)
          if (done) return controller.close()
          controller.enqueue(value)
          return call.enter(value)
        }
      },
      cancel: reason => reader.cancel(reason),
    },
    // The SDK reads ahead itself. Without this, one more part would be read from the model while nobody wants it.
    { highWaterMark: 0 },
  )
}

type Delta = Extract<LanguageModelV4StreamPart, { type: DeltaPart['type'] }>
type TextDelta = Extract<Delta, { type: 'text-delta' | 'reasoning-delta' }>

/** Decides which way each part of one model call goes. Keeps the text that the SDK has not got yet. */
class ModelCall {
  readonly #options: BypassStreamOptions
  /** The keys of the parts that have started and not ended. Other deltas are errors of the provider: the SDK reports them. */
  readonly #open = new Set<string>()
  /** The text that went past the SDK and that the SDK has not got yet, by key. */
  readonly #owed = new Map<string, TextDelta>()
  /** True when everything that entered the SDK has come out. */
  #isClear = false
  /** When the last part entered the SDK. */
  #enteredAt = 0
  /** Each call has its own, so that calls that began together do not all go through the SDK at the same moment. */
  readonly #maxQuietMs: number

  constructor(options: BypassStreamOptions) {
    this.#options = options
    this.#maxQuietMs = options.maxQuietMs * (1 - Math.random() / 2)
  }

  mayPass(part: LanguageModelV4StreamPart): part is Delta {
    return (
      this.#isClear &&
      isCounted(part) &&
      this.#open.has(keyOf(part)) &&
      performance.now() - this.#enteredAt < this.#maxQuietMs
    )
  }

  pass(delta: Delta): Promise<void> | undefined {
    // The SDK takes the input of a tool from the call, not from these deltas.
    if (delta.type !== 'tool-input-delta') this.#owe(delta)
    return this.#options.bypass.pass(deltaPart(delta))
  }

  /** Returns what the SDK must get before the next part. The reader has this text already. */
  takeOwed(): readonly LanguageModelV4StreamPart[] {
    const owed = [...this.#owed.values()]
    this.#owed.clear()
    for (let count = 0; count < owed.length; count += 1) this.#options.bypass.enter(false)
    return owed
  }

  /** Notes that a part has entered the SDK. Resolves when the next part may be read from the model. */
  async enter(part: LanguageModelV4StreamPart): Promise<void> {
    this.#isClear = false
    this.#enteredAt = performance.now()
    this.#noteOpen(part)
    if (!isCounted(part)) return
    const { bypass } = this.#options
    bypass.enter(true)
    // After the delta of a part that is not open, the SDK returns an error as well.
    if (!this.#open.has(keyOf(part))) return
    // The SDK keeps the order of parts. So when this delta comes out, everything before it has come out, too.
    await bypass.emptied()
    this.#isClear = true
  }

  #owe({ type, id, ...delta }: TextDelta): void {
    const key = keyOf({ type, id })
    const before = this.#owed.get(key)
    // The last metadata counts, as in the SDK.
    const providerMetadata = delta.providerMetadata ?? before?.providerMetadata
    const text = (before?.delta ?? '') + delta.delta
    this.#owed.set(key, { type, id, delta: text, ...(providerMetadata && { providerMetadata }) })
  }

  #noteOpen(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#open.add(keyOf(part))
        break
      case 'tool-input-start':
        if (this.#options.tools[part.toolName]?.onInputDelta === undefined) this.#open.add(keyOf(part))
        break
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        this.#open.delete(keyOf(part))
        break
    }
  }
}

/** Returns whether the model has said what it had to say. */
function isEnding({ type }: LanguageModelV4StreamPart): boolean {
  return type === 'text-end' || type === 'finish'
}

/** Returns the same key for the start, the deltas and the end of a part. */
function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.slice(0, type.lastIndexOf('-'))} ${id}`
}

/** Returns whether the part is a delta that certainly comes out of the SDK. The SDK drops some empty deltas. */
function isCounted(part: LanguageModelV4StreamPart): part is Delta {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return part.delta !== ''
    default:
      return false
  }
}

function deltaPart({ type, id, delta, providerMetadata }: Delta): DeltaPart {
  const metadata = providerMetadata && { providerMetadata }
  return type === 'tool-input-delta'
    ? { type, id, delta, ...metadata }
    : { type, id, text: delta, ...metadata }
}

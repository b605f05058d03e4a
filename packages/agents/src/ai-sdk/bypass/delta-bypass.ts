import { type LanguageModel, type TextStreamPart, type ToolSet, wrapLanguageModel } from 'ai'
import { bypassStream, type DeltaPart } from './bypass-stream.ts'
import { PartQueue } from './part-queue.ts'

type Part = TextStreamPart<ToolSet>

interface DeltaBypassOptions {
  /** The tools of the model. A tool that listens to the deltas of its input still gets them one by one. */
  readonly tools: ToolSet
  /**
   * When the SDK has got no part for this time, the next delta goes through the SDK, in milliseconds. So the SDK notices
   * that the model is not silent.
   */
  readonly maxQuietMs: number
}

/**
 * Takes deltas past `streamText`. Inside `streamText` every part crosses about twelve web streams. That costs more than all
 * else that happens to a delta, and for deltas none of it is needed. All other parts go through the SDK, which runs the
 * steps and the tools. The reader gets each part once, in the order in which the model sent them.
 *
 * One object serves one answer: give `wrap(model)` to `streamText`, and read `parts(result.stream)`.
 */
export class DeltaBypass {
  readonly #options: DeltaBypassOptions
  readonly #queue = new PartQueue<Part>()
  /** One item for each delta that is inside the SDK, in order. It is false when the reader has the text already. */
  readonly #inside: boolean[] = []
  /** Set while somebody waits until nothing is inside the SDK. */
  #emptied: PromiseWithResolvers<void> | undefined

  constructor(options: DeltaBypassOptions) {
    this.#options = options
  }

  /** Returns the model for `streamText`. The SDK looks up a model that is only a name later, so that one is not wrapped. */
  wrap(model: LanguageModel): LanguageModel {
    if (typeof model === 'string') return model
    return wrapLanguageModel({
      model,
      middleware: {
        wrapStream: async ({ doStream }) => {
          const { stream, ...rest } = await doStream()
          return { ...rest, stream: bypassStream(stream, { ...this.#options, bypass: this }) }
        },
      },
    })
  }

  /** Returns the parts for the reader: those that the SDK returns, and the deltas that went past it. */
  parts(stream: ReadableStream<Part>): AsyncIterableIterator<Part, void> {
    const reader = stream.getReader()
    // Not awaited: it runs beside the reader of the queue, and it never rejects.
    void this.#fill(reader)
    // Not a generator: every delta passes through here, and an iterator costs half as much.
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      next: () => this.#queue.next(),
      return: async () => {
        this.#queue.end()
        await reader.cancel()
        return { done: true, value: undefined }
      },
    }
  }

  /** Gives a delta to the reader, past the SDK. The caller must await the result (back pressure). */
  pass(delta: DeltaPart): Promise<void> | undefined {
    return this.#queue.put(delta)
  }

  /** Notes that a delta goes into the SDK. `isNew` is false when the reader has its text already. */
  enter(isNew: boolean): void {
    this.#inside.push(isNew)
  }

  /** Resolves when every delta that has entered the SDK has come out, or when the SDK has ended. */
  async emptied(): Promise<void> {
    if (this.#inside.length === 0) return
    this.#emptied ??= Promise.withResolvers<void>()
    await this.#emptied.promise
  }

  /** Puts what the SDK returns into the queue, and at last the end. */
  async #fill(reader: ReadableStreamDefaultReader<Part>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return this.#queue.end()
        if (!isCounted(value) || this.#leave()) await this.#queue.put(value)
        if (this.#inside.length === 0) this.#tellEmptied()
      }
    } catch (error) {
      this.#queue.end({ error })
    } finally {
      this.#tellEmptied()
    }
  }

  /** Notes that a delta has come out of the SDK. Returns whether the reader needs it. */
  #leave(): boolean {
    // Nothing has entered when the model is not wrapped.
    return this.#inside.shift() ?? true
  }

  #tellEmptied(): void {
    this.#emptied?.resolve()
    this.#emptied = undefined
  }
}

/** Returns whether the part was counted when it went into the SDK. */
function isCounted(part: Part): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return part.text !== ''
    case 'tool-input-delta':
      return part.delta !== ''
    default:
      return false
  }
}

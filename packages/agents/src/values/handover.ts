interface Parcel<Value> {
  readonly values: readonly Value[]
  readonly onTaken: () => void
}

/**
 * Hands values from callbacks to one reader, in order. `put` resolves when the reader has taken all values and asks for
 * more. A callback that awaits it waits for the reader: that is the back pressure.
 */
export class Handover<Value> implements AsyncIterable<Value, void> {
  readonly #parcels: Parcel<Value>[] = []
  #end: { readonly error?: unknown } | undefined
  #wakeReader: () => void = () => undefined

  put(values: readonly Value[]): Promise<void> | undefined {
    if (values.length === 0 || this.#end !== undefined) return undefined
    return new Promise(resolve => {
      this.#parcels.push({ values, onTaken: resolve })
      this.#wakeReader()
    })
  }

  /** Ends the reading after what was put before. With `error`, the reader throws it. */
  close(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end
    this.#wakeReader()
  }

  /** Ends the reading at once. Nobody waits in `put` any more. */
  stop(): void {
    this.close()
    for (const { onTaken } of this.#parcels.splice(0)) onTaken()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      const parcel = this.#parcels.shift()
      if (parcel !== undefined) {
        try {
          yield* parcel.values
        } finally {
          parcel.onTaken()
        }
      } else if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return
      } else {
        await new Promise<void>(resolve => {
          this.#wakeReader = resolve
        })
      }
    }
  }
}

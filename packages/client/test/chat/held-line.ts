// Test only.

export interface HeldLine {
  readonly fetch: typeof globalThis.fetch
  readonly isOpen: () => boolean
  /** Whether the reader has closed the connection. */
  readonly isCancelled: () => boolean
  /** Resolves when the reader has handled it: when it waits for more, or has closed the connection. */
  write(text: string): Promise<void>
  end(): void
}

/** A connection on which the test writes when it wants to. */
export function heldLine(headers: Readonly<Record<string, string>> = {}): HeldLine {
  let isOpen = true
  let isCancelled = false
  let onRead: () => void = () => undefined
  const opened = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: opened.resolve,
      pull: () => onRead(),
      cancel: () => {
        isCancelled = true
        onRead()
      },
    },
    { highWaterMark: 0 },
  )
  return {
    isOpen: () => isOpen,
    isCancelled: () => isCancelled,
    async write(text) {
      const controller = await opened.promise
      const read = new Promise<void>(resolve => (onRead = resolve))
      controller.enqueue(new TextEncoder().encode(text))
      await read
    },
    end: () => void opened.promise.then(controller => controller.close()),
    async fetch(_, { signal } = {}) {
      signal?.addEventListener('abort', () => {
        isOpen = false
        void opened.promise.then(controller => controller.error(signal.reason))
      })
      return new Response(body, { headers })
    },
  }
}

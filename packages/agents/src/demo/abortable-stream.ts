/** Makes a stream that pulls from a generator. When the signal aborts, the stream fails at once with its reason. */
export function abortableStream<Part>(
  generate: (stopSignal: AbortSignal) => AsyncGenerator<Part, void>,
  abortSignal: AbortSignal | undefined,
): ReadableStream<Part> {
  // Is aborted at every end of the stream. That wakes a waiting generator and removes the listener below.
  const end = new AbortController()
  const parts = generate(end.signal)
  return new ReadableStream<Part>({
    start(controller) {
      // In `start` and not in `pull`, so that an abort is seen also while nobody reads.
      const onAbort = () => {
        controller.error(abortSignal?.reason)
        end.abort(abortSignal?.reason)
      }
      abortSignal?.addEventListener('abort', onAbort, { signal: end.signal })
      if (abortSignal?.aborted) onAbort()
    },
    async pull(controller) {
      const next = await parts.next()
      if (end.signal.aborted) return
      if (!next.done) return controller.enqueue(next.value)
      controller.close()
      end.abort()
    },
    cancel(reason) {
      end.abort(reason)
    },
  })
}

/**
 * Passes a source on until the signal aborts, and then ends at once, also when the source hangs and never
 * looks at the signal itself.
 */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<'aborted'>()
  const onAbort = () => aborted.resolve('aborted')
  signal.addEventListener('abort', onAbort)
  try {
    while (!signal.aborted) {
      const next = await Promise.race([iterator.next(), aborted.promise])
      if (next === 'aborted' || next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a source that hangs would hang us too. Its own failure no longer interests anyone.
    iterator.return?.().catch(() => undefined)
  }
}

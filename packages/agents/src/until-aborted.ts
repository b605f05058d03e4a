/**
 * Opens a source and passes it on until the signal aborts, and then ends at once, also when the source hangs
 * and never looks at the signal itself.
 */
export async function* untilAborted<T>(
  open: () => AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  if (signal.aborted) return
  const iterator = open()[Symbol.asyncIterator]()
  // A promise of its own for each value: one for all of them would keep every value until the end.
  let waiting = Promise.withResolvers<IteratorResult<T> | 'aborted'>()
  const onAbort = () => waiting.resolve('aborted')
  signal.addEventListener('abort', onAbort)
  try {
    while (!signal.aborted) {
      waiting = Promise.withResolvers()
      iterator.next().then(waiting.resolve, waiting.reject)
      const next = await waiting.promise
      if (next === 'aborted' || next.done === true) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a source that hangs would hang us too.
    void leave(iterator)
  }
}

async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // What fails in a source that is left no longer interests anyone.
  }
}

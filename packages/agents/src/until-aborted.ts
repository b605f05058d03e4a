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
  try {
    while (!signal.aborted) {
      const next = await orAborted(iterator.next(), signal)
      if (next === 'aborted' || next.done === true) return
      yield next.value
    }
  } finally {
    // Not awaited: a source that hangs would hang us too.
    void leave(iterator)
  }
}

// A race of its own for each value: one promise for all of them would keep every value until the end.
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    // The source itself may have led to the abort before anyone listened.
    if (signal.aborted) onAbort()
  })
}

async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // What fails in a source that is left no longer interests anyone.
  }
}

/** Waits for what a person or a client sends, until the time is up or the signal aborts. */
export function settledInTime<Value extends object>(
  settled: Promise<Value>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Value | 'timeout' | 'stopped'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish('timeout'), timeoutMs)
    const onAbort = () => finish('stopped')
    signal.addEventListener('abort', onAbort)
    settled.then(finish, reject)
    if (signal.aborted) onAbort()
    function finish(result: Value | 'timeout' | 'stopped') {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
  })
}

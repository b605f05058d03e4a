/** A promise, and the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value | PromiseLike<Value>) => void
  readonly reject: (reason?: unknown) => void
}

/** Does what `Promise.withResolvers` does. Node 20 and browsers of 2023 do not have that function. */
export function createDeferred<Value>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A promise calls its executor before the constructor returns.
  if (settle === undefined) throw new TypeError('The promise has no functions to settle it.')
  return { promise, ...settle }
}

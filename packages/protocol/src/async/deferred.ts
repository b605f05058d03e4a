/** A promise, and the function that resolves it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value | PromiseLike<Value>) => void
}

/** Does what `Promise.withResolvers` does. Node 20 and browsers of 2023 do not have that function. */
export function createDeferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>['resolve'] = () => undefined
  // A promise calls this function before its constructor returns. So what is returned is the promise's own `resolve`.
  const promise = new Promise<Value>(own => {
    resolve = own
  })
  return { promise, resolve }
}

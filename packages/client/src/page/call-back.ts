/**
 * Calls a function of the page, synchronously. An error in it is the page's own: it is reported on the console, and
 * the stream goes on. The same holds when the function returns a promise that rejects.
 */
export function callBack<Arguments extends readonly unknown[]>(
  callback: ((...given: Arguments) => unknown) | undefined,
  ...given: Arguments
): void {
  // The promise rejects in both cases: when the callback throws, and when the promise that it returned rejects.
  new Promise(resolve => resolve(callback?.(...given))).catch(console.error)
}

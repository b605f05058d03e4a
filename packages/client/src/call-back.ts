/**
 * Calls what a page handed in, at once. Its failure is the page's: the console is told, with its stack, and the stream
 * goes on.
 */
export function callBack<Arguments extends readonly unknown[]>(
  callback: ((...given: Arguments) => unknown) | undefined,
  ...given: Arguments
): void {
  // What the executor throws rejects the promise, like what the callback's own promise rejects with.
  new Promise(resolve => resolve(callback?.(...given))).catch(console.error)
}

/** Calls what a page handed in. Its failure is the page's: it is reported, and the stream goes on. */
export function callBack<Arguments extends readonly unknown[]>(
  callback: ((...given: Arguments) => unknown) | undefined,
  ...given: Arguments
): void {
  try {
    const result = callback?.(...given)
    if (result instanceof Promise) result.catch(report)
  } catch (error) {
    report(error)
  }
}

function report(error: unknown): void {
  console.error('A callback failed; the stream goes on.', error)
}

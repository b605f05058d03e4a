/**
 * Returns the value of a JSON text, or `undefined` when the text is not JSON. JSON cannot express `undefined`, so the
 * two cannot be confused. For text that others wrote: a mistake in it is expected, and the caller reports it.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error in a form that another thread can get. Threads can send errors to each other, but not the fields of their own. */
export type SentError =
  | {
      readonly isError: true
      readonly name: string
      readonly message: string
      readonly stack: string | undefined
      readonly cause: SentError | undefined
      readonly fields: Readonly<Record<string, unknown>>
      /** The AI SDK knows its errors by symbols like these. */
      readonly symbols: readonly string[]
    }
  /** What was thrown was no error. */
  | { readonly isError: false; readonly value: unknown }

/** Returns the form of an error that can be sent. What cannot be sent, such as a function, is left out. */
export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { isError: false, value: canBeSent(error) ? error : String(error) }
  const { name, message, stack, cause } = error
  const known = ['name', 'message', 'stack', 'cause']
  const fields = Object.entries(error).filter(([key, value]) => !known.includes(key) && canBeSent(value))
  const symbols = Object.getOwnPropertySymbols(error).map(symbol => Symbol.keyFor(symbol))
  return {
    ...{ isError: true, name, message, stack },
    cause: cause === undefined ? undefined : sentError(cause),
    fields: Object.fromEntries(fields),
    symbols: symbols.filter(key => key !== undefined),
  }
}

/** Returns the error that was sent. It has no class of its own, but all its fields. */
export function receivedError(sent: SentError): unknown {
  if (!sent.isError) return sent.value
  const { name, message, stack, cause, fields, symbols } = sent
  const error = new Error(message, cause === undefined ? undefined : { cause: receivedError(cause) })
  const markers = symbols.map(key => [Symbol.for(key), true] as const)
  return Object.assign(error, fields, Object.fromEntries(markers), { name, stack })
}

function canBeSent(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

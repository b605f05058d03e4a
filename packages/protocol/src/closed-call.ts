import type { ToolPart } from './message.ts'

const prefix = 'Interrupted: '

/** The error text of a call that may have had an effect: the server was restarted while the tool worked. */
export const outcomeUnknownText =
  'The outcome of this call is unknown: the server was restarted while the tool worked. It may or may not have had an ' +
  'effect. Find out before you call it again.'

/** Returns the error text of a call that was closed because it will never have a result. */
export function closedCallText(reason: string): string {
  return prefix + reason
}

/** How a call ended that was closed by the server, and not by its tool. */
export interface ClosedCall {
  /** `cut`: it was stopped, or its process died, before it had a result. `unknown`: it may have had an effect. */
  readonly type: 'cut' | 'unknown'
  /** Why it was closed, as a sentence. */
  readonly reason: string
}

/**
 * Returns how the server closed a call; `undefined` when it did not: the tool itself came to an end, a person denied the
 * call, or it is still open.
 */
export function closedCallOf({ state, errorText, approval }: ToolPart): ClosedCall | undefined {
  if (state !== 'output-error' && state !== 'output-denied') return undefined
  const text = errorText ?? approval?.reason ?? ''
  if (text === outcomeUnknownText) return { type: 'unknown', reason: text }
  return text.startsWith(prefix) ? { type: 'cut', reason: text.slice(prefix.length) } : undefined
}

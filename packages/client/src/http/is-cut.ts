import type { ChatError } from './chat-error.ts'

/**
 * Returns whether sending the same request again may help: the server could not be reached, or it had an error of its
 * own. When the server refuses a request, it would refuse it again.
 */
export function isCut({ code, status = 0 }: ChatError): boolean {
  return code === 'network' || status >= 500
}

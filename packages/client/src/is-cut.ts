import type { ChatError } from './chat-error.ts'

/** Whether the same request may get over a failure: nobody answered, or the server was in trouble. A refusal stays one. */
export function isCut({ code, status = 0 }: ChatError): boolean {
  return code === 'network' || status >= 500
}

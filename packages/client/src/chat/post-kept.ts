import type { Position } from '@throughline/protocol'
import type { ChatApi } from './chat-api.ts'
import type { KeptMessage, Outbox } from './outbox.ts'

interface Posted {
  /** Where the run of the message begins in the log. Missing when there is no run yet. */
  readonly position?: Position | undefined
  /** Whether the message waits in the queue of the server. */
  readonly isQueued?: boolean
}

/**
 * Sends a message, unless another page with the same outbox has sent or discarded it meanwhile. When the server has it,
 * the outbox need not keep it any more. Throws a `ChatError` when it is not sent; then the outbox still has it.
 */
export async function postKept(
  api: Pick<ChatApi, 'send'>,
  { message, ...options }: KeptMessage,
  { outbox, context }: { readonly outbox: Outbox | undefined; readonly context: unknown },
): Promise<Posted> {
  if (outbox && !outbox.load().some(kept => kept.message.id === message.id)) return {}
  const { position } = await api.send(message, { ...options, context })
  outbox?.drop(message.id)
  return position ? { position } : { isQueued: true }
}

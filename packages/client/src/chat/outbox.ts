import type { Message, Position } from '@throughline/protocol'
import type { ChatApi, SendOptions } from './chat-api.ts'

/** A message that the server does not have yet, and how it is to be sent. */
export interface KeptMessage extends Omit<SendOptions, 'context'> {
  readonly message: Message
}

/**
 * Keeps the messages of one chat until the server has them, for example in the storage of the browser. With it, a chat
 * never gives up a message because the server is away. Messages that were kept when the page was closed are sent when
 * the chat is opened again. Several pages may share one: what one of them has dropped, the others do not send.
 */
export interface Outbox {
  /** Returns what is kept, in the order in which it was sent. Must not throw. */
  load(): readonly KeptMessage[]
  /** May throw when there is no room. Then the message is sent as it would be without an outbox. */
  keep(kept: KeptMessage): void
  /** Forgets a message: the server has it, or the person does not want to send it any more. Must not throw. */
  drop(messageId: string): void
}

/** Returns the outbox if it keeps the message now; `undefined` if it could not. */
export function keptIn(outbox: Outbox | undefined, kept: KeptMessage): Outbox | undefined {
  try {
    outbox?.keep(kept)
  } catch {
    return undefined
  }
  return outbox?.load().some(each => each.message.id === kept.message.id) ? outbox : undefined
}

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

import { logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import type { ChatRecord, Store } from '@throughline/store'
import type { ChannelHost } from './channels/channel-host.ts'
import type { Runner } from './runs/runner.ts'

/** What removing a chat needs. */
export interface RemoveOptions {
  readonly store: Store
  readonly runner: Pick<Runner, 'stopActive'>
  readonly channels: Pick<ChannelHost, 'leave'>
  readonly now: () => Date
}

/**
 * Stops the run of a chat and removes the chat with everything in it. Returns the chat as it was, or `undefined` when
 * there is no such chat.
 */
export async function removeChat(
  { store, runner, channels, now }: RemoveOptions,
  chat: ChatKey,
): Promise<ChatRecord | undefined> {
  await runner.stopActive(chat)
  await channels.leave(chat)
  const record = await store.chats.get(chat)
  if (record === undefined) return undefined
  // Files go first. As long as the chat exists, a removal that failed halfway can be asked for again.
  await store.files.removeAll(chat)
  // Then the log. A chat that has rows but no log is still whole. A log without rows would bring the messages back.
  await store.log.remove(logName(chat))
  await store.chats.remove(chat, now().toISOString())
  return record
}

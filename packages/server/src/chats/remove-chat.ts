import type { ChatKey } from '@throughline/protocol'
import type { ChatRecord, Store } from '@throughline/store'
import type { ChannelHost } from '../channels/channel-host.ts'
import type { StoreWatch } from '../engine/store-watch.ts'
import type { Runner } from '../runs/runner.ts'

/** What removing a chat needs. */
export interface RemoveOptions {
  readonly store: Store
  readonly runner: Pick<Runner, 'active' | 'stopActive'>
  readonly channels: Pick<ChannelHost, 'leave'>
  readonly storeWatch: Pick<StoreWatch, 'assertWell'>
  readonly now: () => Date
}

/**
 * Stops the run of a chat and removes the chat with everything in it. Returns the chat as it was, or `undefined` when
 * there is no such chat.
 */
export async function removeChat(
  { store, runner, channels, storeWatch, now }: RemoveOptions,
  chat: ChatKey,
): Promise<ChatRecord | undefined> {
  // First of all, so that no waiting message begins a run as soon as the active one is stopped.
  await store.waitingSubmissions.removeAll(chat)
  // On a full disk the end of the run cannot be saved, and the chat cannot be removed. The chat does not wait for a run of
  // another process, which may be gone: that run loses its log with the chat.
  while ((await runner.stopActive(chat)) === 'stopping' && runner.active(chat) !== undefined)
    await storeWatch.assertWell()
  await channels.leave(chat)
  const record = await store.chats.get(chat)
  const isRemoved = record !== undefined && (await store.chats.remove(chat, now().toISOString()))
  return isRemoved ? record : undefined
}

import { logName } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'
import type { ChatRecord } from '@throughline/store/chats'
import type { Store } from '@throughline/store/open-store'
import type { ChannelHost } from './channels/channel-host.ts'
import type { Runner } from './runs/runner.ts'

export interface RemoveOptions {
  readonly store: Store
  readonly runner: Pick<Runner, 'stop'>
  readonly channels: Pick<ChannelHost, 'leave'>
  readonly now: () => Date
}

/** Stops what goes on in a chat and removes all there is of it; answers what it was, or nothing when there is none. */
export async function removeChat(
  { store, runner, channels, now }: RemoveOptions,
  chat: ChatKey,
): Promise<ChatRecord | undefined> {
  await runner.stop(chat)
  await channels.leave(chat)
  const record = await store.chats.get(chat)
  if (record === undefined) return undefined
  // Files before all else: as long as the chat is there, a removal that broke off can be asked for again.
  await store.files.removeAll(chat)
  // Then the log: rows without a log are still a whole chat, a log without rows would bring the dead back.
  await store.log.remove(logName(chat))
  await store.chats.remove(chat, now().toISOString())
  return record
}

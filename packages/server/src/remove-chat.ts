import { logName } from '@throughline/log/log-store'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Chat } from '@throughline/store/chats'
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
  ownerId: OwnerId,
  chatId: ChatId,
): Promise<Chat | undefined> {
  await runner.stop(ownerId, chatId)
  await channels.leave(ownerId, chatId)
  const chat = await store.chats.get(ownerId, chatId)
  if (chat === undefined) return undefined
  // Files before all else: as long as the chat is there, a removal that broke off can be asked for again.
  await store.files.removeAll(ownerId, chatId)
  // Then the log: rows without a log are still a whole chat, a log without rows would bring the dead back.
  await store.log.remove(logName(ownerId, chatId))
  await store.chats.remove(ownerId, chatId, now().toISOString())
  return chat
}

import type { ChatListEvent, ListedChat } from '@throughline/protocol'

/** Returns the list of chats after an event, newest first. */
export function foldChats(chats: readonly ListedChat[], event: ChatListEvent): readonly ListedChat[] {
  switch (event.type) {
    case 'list':
      return newestFirst(event.chats)
    case 'chat':
      return newestFirst([event.chat, ...chats.filter(({ id }) => id !== event.chat.id)])
    case 'gone':
      return chats.filter(({ id }) => id !== event.id)
  }
}

function newestFirst(chats: readonly ListedChat[]): readonly ListedChat[] {
  return chats.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0))
}

import { type ChatId, createId, isChatId } from '@throughline/protocol'

/** What the address of the page names. */
export type Route = ChatRoute | { readonly page: 'unknown' }

export interface ChatRoute {
  readonly page: 'chat'
  readonly chatId: ChatId
  /** The chat is not in the address yet: it begins with its first message. */
  readonly isNew: boolean
}

/** Returns the route of a path below the base path. */
export function routeFrom(path: string): Route {
  const [, id] = /^\/chats\/([^/]+)$/.exec(path) ?? []
  if (isChatId(id)) return chatRoute(id)
  return path === '/' || path === '' ? newChatRoute() : { page: 'unknown' }
}

/** Returns the path of a route. */
export function pathOf(route: Route): string {
  switch (route.page) {
    case 'chat':
      return route.isNew ? '/' : `/chats/${route.chatId}`
    case 'unknown':
      return '/'
  }
}

export function chatRoute(chatId: ChatId): ChatRoute {
  return { page: 'chat', chatId, isNew: false }
}

export function newChatRoute(): ChatRoute {
  return { page: 'chat', chatId: createId(isChatId, 'chat'), isNew: true }
}

import { type ChatId, createId, isChatId } from '@throughline/protocol'

/** What the address of the page names. */
export type PageRoute = ChatRoute | AgentsRoute | SettingsRoute | { readonly page: 'status' | 'unknown' }

export interface ChatRoute {
  readonly page: 'chat'
  readonly chatId: ChatId
  /** The chat is not in the address yet: it begins with its first message. */
  readonly isNew: boolean
}

export interface SettingsRoute {
  readonly page: 'settings'
  /** The server at which the person has just signed in: its authorization server sends them back to this address. */
  readonly connected?: string | undefined
}

export interface AgentsRoute {
  readonly page: 'agents'
  /** The agent to look at; `undefined` for the list of all agents. */
  readonly name?: string | undefined
  readonly workspaceId?: string | undefined
}

/** The form for a new agent. No agent can have this name: "~" is not allowed in names. */
export const newAgentRoute: AgentsRoute = { page: 'agents', name: '~new' }

export function isNewAgent({ name }: AgentsRoute): boolean {
  return name === newAgentRoute.name
}

/** Returns the route of a path below the base path. */
export function routeFrom(path: string): PageRoute {
  const [root, ...names] = path.slice(1).split('/')
  if (root === 'agents' && names.length < 3) {
    const [name, workspaceId] = names.toReversed().map(decoded)
    return { page: 'agents', name, workspaceId }
  }
  if (path === '/settings' || path === '/status') return { page: path === '/status' ? 'status' : 'settings' }
  if (root === 'connected' && names.length === 1) return { page: 'settings', connected: names[0] }
  const [, id] = /^\/chats\/([^/]+)$/.exec(path) ?? []
  if (isChatId(id)) return chatRoute(id)
  return path === '/' || path === '' ? newChatRoute() : { page: 'unknown' }
}

/** Returns the path of a route. */
export function pathOf(route: PageRoute): string {
  switch (route.page) {
    case 'chat':
      return route.isNew ? '/' : `/chats/${route.chatId}`
    case 'agents':
      return agentsPath(route)
    case 'settings':
      return route.connected === undefined ? '/settings' : `/connected/${route.connected}`
    case 'status':
      return `/${route.page}`
    case 'unknown':
      return '/'
  }
}

/** The names of agents may be in any script, so they are encoded. */
function agentsPath({ workspaceId, name }: AgentsRoute): string {
  const names = [workspaceId, name].flatMap(part => (part === undefined ? [] : [encodeURIComponent(part)]))
  // Ids have ":", which needs no encoding in a path.
  return ['/agents', ...names].join('/').replaceAll('%3A', ':')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function chatRoute(chatId: ChatId): ChatRoute {
  return { page: 'chat', chatId, isNew: false }
}

export function newChatRoute(): ChatRoute {
  return { page: 'chat', chatId: createId(isChatId, 'chat'), isNew: true }
}

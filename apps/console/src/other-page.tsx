import type { ChatId } from '@throughline/protocol'
import { AgentsPage } from './agents/agents-page.tsx'
import type { AgentItem } from './chats/use-chats.ts'
import type { ChatRoute, Route } from './navigation/route.ts'
import { UnknownPage } from './navigation/unknown-page.tsx'
import { SettingsPage } from './settings-page/settings-page.tsx'
import { StatusPage } from './status/status-page.tsx'

interface Props {
  readonly route: Exclude<Route, ChatRoute>
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
  readonly onGo: (route: Route) => void
  /** Called with a chat that a page shows beside something else, and with `undefined` at its end. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  /** Has a page asked before the person leaves it: see `useRoute`. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
  /** Called after an agent was made, changed or deleted. */
  readonly onAgentsChange: () => void
}

/** A page that is not a chat. All of them are loaded together, when the first one is opened. */
export function OtherPage({ route, agents, onMenu, onGo, onTrial, onLeave, onAgentsChange }: Props) {
  switch (route.page) {
    case 'agents':
      return (
        <AgentsPage
          route={route}
          onMenu={onMenu}
          onGo={onGo}
          onTrial={onTrial}
          onLeave={onLeave}
          onChange={onAgentsChange}
        />
      )
    case 'settings':
      return <SettingsPage onMenu={onMenu} connected={route.connected} />
    case 'status':
      return <StatusPage agents={agents} onMenu={onMenu} />
    case 'unknown':
      return <UnknownPage onMenu={onMenu} />
  }
}

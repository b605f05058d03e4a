import type { ChatId } from '@throughline/protocol'
import type { AgentItem } from '../agents/use-agents.ts'
import { UnknownNote } from '../controls/unknown-note.tsx'
import { PageHeader } from '../navigation/page-header.tsx'
import type { ChatRoute, PageRoute } from '../navigation/route.ts'
import { useWords } from '../settings/settings.tsx'
import { AgentsPage } from './agents/agents-page.tsx'
import { SettingsPage } from './settings-page.tsx'
import { StatusPage } from './status/status-page.tsx'

interface Props {
  readonly route: Exclude<PageRoute, ChatRoute>
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
  readonly onGo: (route: PageRoute) => void
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

/** For an address that names nothing. */
function UnknownPage({ onMenu }: { readonly onMenu: () => void }) {
  const words = useWords()
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={words.unknownPage} onMenu={onMenu} />
      <UnknownNote text={words.unknownPageText} />
    </main>
  )
}

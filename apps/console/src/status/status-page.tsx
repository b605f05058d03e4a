import type { AgentItem } from '../chats/use-chats.ts'
import { PageHeader } from '../navigation/page-header.tsx'
import { useWords } from '../settings/settings.tsx'
import { ServerView } from './server-view.tsx'
import { UsageView } from './usage-view.tsx'

interface Props {
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
}

/** What the person has used, and how the server is doing. */
export function StatusPage({ agents, onMenu }: Props) {
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={useWords().status} onMenu={onMenu} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl space-y-10 px-4 py-6 sm:px-6">
          <UsageView agents={agents} />
          <ServerView />
        </div>
      </div>
    </main>
  )
}

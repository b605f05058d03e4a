import type { ChatId } from '@throughline/protocol'
import { lazy, Suspense } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import type { ChatRoute, Route } from './navigation/route.ts'
import { UnknownPage } from './navigation/unknown-page.tsx'
import { useWords } from './settings/settings.tsx'

// Scripts of their own: people who only chat do not load them.
const AgentsPage = lazy(async () => ({ default: (await import('./agents/agents-page.tsx')).AgentsPage }))

interface Props {
  readonly route: Exclude<Route, ChatRoute>
  readonly onMenu: () => void
  readonly onGo: (route: Route) => void
  /** Called with a chat that a page shows beside something else, and with `undefined` at its end. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  /** Has a page asked before the person leaves it: see `useRoute`. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
  /** Called after an agent was made, changed or deleted. */
  readonly onAgentsChange: () => void
}

/** A page that is not a chat. */
export function OtherPage(props: Props) {
  const words = useWords()
  return (
    <ErrorBoundary
      key={props.route.page}
      fallback={<p className="m-auto text-danger">{words.renderFailed}</p>}
    >
      <Suspense fallback={<main className="flex-1" />}>
        <Page {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

function Page({ route, onMenu, onGo, onTrial, onLeave, onAgentsChange }: Props) {
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
    case 'unknown':
      return <UnknownPage onMenu={onMenu} />
  }
}

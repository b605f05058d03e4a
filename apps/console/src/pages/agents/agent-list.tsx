import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AgentInList, AgentsOverview } from '../../agents/agents-api.ts'
import { Badge } from '../../controls/badge.tsx'
import { PageLink } from '../../navigation/page-link.tsx'
import { type AgentsRoute, newAgentRoute, type PageRoute } from '../../navigation/route.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import { DelegationGraph } from './delegation-graph.tsx'

interface Props {
  readonly overview: AgentsOverview
  readonly onGo: (route: PageRoute) => void
}

/** All agents, and a picture of who may ask whom. */
export function AgentList({ overview: { agents }, onGo }: Props) {
  const words = useOtherPagesWords().agents
  const yours = agents.filter(({ origin }) => origin === 'person')
  const inCode = agents.filter(({ origin }) => origin === 'code')
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl space-y-8 px-4 py-6">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="max-w-md text-muted">{words.intro}</p>
          <PageLink
            route={newAgentRoute}
            onGo={onGo}
            className="flex min-h-10 items-center gap-2 rounded-full bg-accent px-4 font-medium text-page"
          >
            <Plus size={16} /> {words.newAgent}
          </PageLink>
        </div>
        <section>
          <h2 className="font-medium">{words.graph}</h2>
          <p className="mb-3 text-sm text-muted">{words.graphHint}</p>
          <div className="rounded-2xl border border-line p-3">
            <DelegationGraph agents={agents} onShow={agent => onGo(routeTo(agent))} />
          </div>
        </section>
        <Section title={words.yours}>
          {yours.length === 0 ? (
            <p className="text-sm text-muted">{words.yoursEmpty}</p>
          ) : (
            <Rows agents={yours} onGo={onGo} />
          )}
        </Section>
        <Section title={words.talkTo}>
          <Rows agents={inCode.filter(({ answersPeople }) => answersPeople)} onGo={onGo} />
        </Section>
        {inCode.some(({ answersPeople }) => !answersPeople) && (
          <Section title={words.others}>
            <Rows agents={inCode.filter(({ answersPeople }) => !answersPeople)} onGo={onGo} />
          </Section>
        )}
      </div>
    </div>
  )
}

/** Returns the page of an agent. */
export function routeTo({ name, workspaceId }: Pick<AgentInList, 'name' | 'workspaceId'>): AgentsRoute {
  return { page: 'agents', name, workspaceId }
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-2 font-medium">{title}</h2>
      {children}
    </section>
  )
}

function Rows({ agents, onGo }: { readonly agents: readonly AgentInList[]; readonly onGo: Props['onGo'] }) {
  return (
    <ul className="space-y-2">
      {agents.map(agent => (
        <li key={`${agent.workspaceId ?? ''} ${agent.name}`}>
          <PageLink
            route={routeTo(agent)}
            onGo={onGo}
            className="block rounded-2xl border border-line bg-raised px-4 py-3 hover:border-accent"
          >
            <Row agent={agent} />
          </PageLink>
        </li>
      ))}
    </ul>
  )
}

function Row({ agent }: { readonly agent: AgentInList }) {
  const words = useOtherPagesWords().agents
  const { displayName, description, origin, isEnabled, workspaceId, model, warnings } = agent
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span data-text="" className="font-medium break-all">
          {displayName}
        </span>
        {origin === 'code' && <Badge text={words.inCode} />}
        {!isEnabled && <Badge text={words.off} />}
        {workspaceId !== undefined && <Badge text={words.inWorkspace(workspaceId)} />}
        {warnings.length > 0 && <Badge isBad text={words.problems(warnings.length)} />}
        {model !== undefined && <span className="ml-auto text-sm break-all text-muted">{model}</span>}
      </span>
      {description !== '' && (
        <span data-text="" className="line-clamp-2 text-sm text-muted">
          {description}
        </span>
      )}
    </>
  )
}

import type { ChatId } from '@throughline/protocol'
import { useState } from 'react'
import { PageHeader } from '../navigation/page-header.tsx'
import { type AgentsRoute, isNewAgent, newAgentRoute, type Route } from '../navigation/route.ts'
import { AgentList } from './agent-list.tsx'
import { AgentPage } from './agent-page.tsx'
import { useAgentsWords } from './agents-words.ts'
import { CodeAgent } from './code-agent.tsx'
import { DefinitionPage } from './definition-page.tsx'
import { type AgentDraft, draftOf, emptyDraft } from './form/agent-draft.ts'
import { DelegationGraph } from './graph/delegation-graph.tsx'
import type { ListedAgent } from './listed-agent.ts'
import { LoadNote } from './load-note.tsx'
import { type LoadedOverview, useDefinition, useOverview } from './use-overview.ts'

interface Props {
  readonly route: AgentsRoute
  readonly onMenu: () => void
  readonly onGo: (route: Route) => void
  /** Called with the chat in which an agent is tried, and with `undefined` when it is not shown any more. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  /** Is given a function that says whether the page may be left. Returns how to take it back. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
  /** Called after an agent was made, changed or deleted. */
  readonly onChange: () => void
}

/** The agents of the server and those of the person: all of them, or the one that the address names. */
export function AgentsPage({ onChange, ...props }: Props) {
  const words = useAgentsWords()
  const loaded = useOverview(onChange)
  const [copied, setCopied] = useState<AgentDraft>()
  const { route, onMenu, onGo } = props
  if (route.name === undefined || loaded.overview === undefined)
    return (
      <main className="flex min-w-0 flex-1 flex-col">
        <PageHeader title={words.agents} onMenu={onMenu} />
        {loaded.overview === undefined ? (
          <LoadNote hasFailed={loaded.hasFailed} onRetry={loaded.reload} />
        ) : (
          <AgentList
            overview={loaded.overview}
            onGo={next => {
              setCopied(undefined)
              onGo(next)
            }}
          />
        )}
      </main>
    )
  const copy = (draft: AgentDraft) => {
    setCopied(draft)
    onGo(newAgentRoute)
  }
  return (
    <OneAgent
      key={`${route.workspaceId ?? ''} ${route.name}`}
      {...props}
      loaded={loaded}
      copied={copied}
      onCopy={copy}
    />
  )
}

interface OneProps extends Omit<Props, 'onChange'> {
  readonly loaded: LoadedOverview
  /** What a new definition begins with. */
  readonly copied: AgentDraft | undefined
  readonly onCopy: (draft: AgentDraft) => void
}

function OneAgent(props: OneProps) {
  const { route, loaded, copied, onMenu, onGo, onTrial, onLeave, onCopy } = props
  const { overview, reload } = loaded
  const words = useAgentsWords()
  if (overview === undefined) return null
  const common = { overview, onMenu, onGo, onTrial, onLeave, onCopy, onChange: reload }
  if (isNewAgent(route))
    return <DefinitionPage {...common} definition={undefined} initial={copied ?? emptyDraft} />
  const agent = overview.agents.find(
    ({ name, workspaceId }) => name === route.name && workspaceId === route.workspaceId,
  )
  if (agent?.origin === 'code')
    return (
      <AgentPage
        title={agent.displayName}
        agent={agent}
        onMenu={onMenu}
        onGo={onGo}
        onTrial={onTrial}
        onCopy={() => onCopy(copyOfCode(agent, words.copyOf(agent.name)))}
      >
        <CodeAgent agent={agent}>
          <DelegationGraph
            agents={overview.agents}
            current={agent.name}
            onShow={({ name, workspaceId }) => onGo({ page: 'agents', name, workspaceId })}
          />
        </CodeAgent>
      </AgentPage>
    )
  return <LoadedDefinition {...common} route={route} />
}

/** Loads the definition that the address names, then shows its form. */
function LoadedDefinition({
  route,
  ...props
}: Omit<Parameters<typeof DefinitionPage>[0], 'definition' | 'initial'> & Pick<OneProps, 'route'>) {
  const words = useAgentsWords()
  const { name = '', workspaceId } = route
  const { definition, problem, reload } = useDefinition({ name, workspaceId })
  if (definition !== undefined)
    return <DefinitionPage {...props} definition={definition} initial={draftOf(definition)} />
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name} onMenu={props.onMenu} />
      {problem === 'unknown' ? (
        <p className="m-auto p-6 text-muted">{words.unknownAgent}</p>
      ) : (
        <LoadNote hasFailed={problem === 'failed'} onRetry={reload} />
      )}
    </main>
  )
}

/** Returns what a definition begins with that is made after an agent in code. Its prompt is not known. */
function copyOfCode(agent: ListedAgent, name: string): AgentDraft {
  const isName = (each: string) => each !== '*'
  return {
    ...emptyDraft,
    name,
    description: agent.description,
    toolKeys: agent.toolKeys.filter(isName),
    allowedSubAgents: agent.allowedSubAgents.filter(isName),
    maxDepth: `${agent.maxDepth ?? ''}`,
    maxSteps: `${agent.maxSteps ?? ''}`,
  }
}

import { asChatError } from '@throughline/client'
import type { ChatId } from '@throughline/protocol'
import type { DefinitionBody } from '@throughline/protocol/internal'
import { useCallback, useEffect, useState } from 'react'
import {
  type AgentInList,
  type AgentsOverview,
  type DefinedAgentKey,
  loadDefinition,
  loadOverview,
} from '../../agents/agents-api.ts'
import { PageHeader } from '../../navigation/page-header.tsx'
import { type AgentsRoute, isNewAgent, newAgentRoute, type PageRoute } from '../../navigation/route.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import { AgentList } from './agent-list.tsx'
import { AgentPage, CodeAgent } from './agent-page.tsx'
import { DefinitionPage } from './definition-page.tsx'
import { DelegationGraph } from './delegation-graph.tsx'
import { type AgentDraft, draftOf, emptyDraft } from './form/agent-draft.ts'

interface Props {
  readonly route: AgentsRoute
  readonly onMenu: () => void
  readonly onGo: (route: PageRoute) => void
  /** Called with the chat in which an agent is tried, and with `undefined` when it is not shown any more. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  /** Is given a function that says whether the page may be left. Returns how to take it back. */
  readonly onLeave: (mayLeave: () => boolean) => () => void
  /** Called after an agent was made, changed or deleted. */
  readonly onChange: () => void
}

/** The agents of the server and those of the person: all of them, or the one that the address names. */
export function AgentsPage({ onChange, ...props }: Props) {
  const words = useOtherPagesWords().agents
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
  const words = useOtherPagesWords().agents
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
  const words = useOtherPagesWords().agents
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
function copyOfCode(agent: AgentInList, name: string): AgentDraft {
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

interface LoadedOverview {
  /** `undefined` until it is loaded. While it is loaded again, the old one stays. */
  readonly overview: AgentsOverview | undefined
  readonly hasFailed: boolean
  /** Loads everything again, after a change. */
  reload(): Promise<void>
}

/** Loads what the page of agents shows. `onChange` is called whenever it is loaded again. */
function useOverview(onChange: () => void): LoadedOverview {
  const [overview, setOverview] = useState<AgentsOverview>()
  const [hasFailed, setHasFailed] = useState(false)
  const load = useCallback(async () => {
    setHasFailed(false)
    try {
      setOverview(await loadOverview())
    } catch {
      setHasFailed(true)
    }
  }, [])
  useEffect(() => void load(), [load])
  const reload = useCallback(async () => {
    onChange()
    await load()
  }, [load, onChange])
  return { overview, hasFailed, reload }
}

interface DefinitionState {
  readonly definition: DefinitionBody | undefined
  /** Why there is none. */
  readonly problem: 'unknown' | 'failed' | undefined
  reload(): void
}

/** Loads one definition. */
function useDefinition({ name, workspaceId }: DefinedAgentKey): DefinitionState {
  const [definition, setDefinition] = useState<DefinitionBody>()
  const [problem, setProblem] = useState<DefinitionState['problem']>()
  const reload = useCallback(() => {
    setProblem(undefined)
    loadDefinition({ name, workspaceId }).then(setDefinition, error =>
      setProblem(asChatError(error).status === 404 ? 'unknown' : 'failed'),
    )
  }, [name, workspaceId])
  useEffect(reload, [reload])
  return { definition, problem, reload }
}

interface LoadNoteProps {
  readonly hasFailed: boolean
  readonly onRetry: () => void
}

/** Stands where something is being loaded, or could not be loaded. */
function LoadNote({ hasFailed, onRetry }: LoadNoteProps) {
  const words = useOtherPagesWords().agents
  return (
    <p role="status" className="m-auto p-6 text-center text-muted">
      {hasFailed ? words.loadFailed : words.loading}{' '}
      {hasFailed && (
        <button type="button" onClick={onRetry} className="text-accent underline">
          {words.retry}
        </button>
      )}
    </p>
  )
}

import type { ReactNode } from 'react'
import { useAgentsWords } from './agents-words.ts'
import type { ListedAgent } from './listed-agent.ts'

/** What an agent in code has. It can only be read. */
export function CodeAgent({
  agent,
  children,
}: {
  readonly agent: ListedAgent
  readonly children: ReactNode
}) {
  const words = useAgentsWords()
  const { name, description, toolKeys, allowedSubAgents, maxSteps, maxDepth } = agent
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl space-y-6 px-4 py-6">
        <p className="rounded-2xl bg-panel px-4 py-3 text-sm">{words.readOnly}</p>
        <dl className="space-y-4">
          <Fact label={words.name}>
            <span data-text="">{name}</span>
          </Fact>
          <Fact label={words.description}>
            <span data-text="">{description || '–'}</span>
          </Fact>
          <Fact label={words.model}>
            {agent.model ?? (agent.answersPeople ? words.chosenInCode : words.callersModel)}
          </Fact>
          <Fact label={words.tools}>
            <Names names={toolKeys} all={words.allTools} none={words.noTools} />
          </Fact>
          <Fact label={words.subAgents}>
            <Names names={allowedSubAgents} all={words.everybody} none={words.nobody} />
          </Fact>
          <Fact label={words.maxSteps}>{maxSteps ?? words.byDefault}</Fact>
          <Fact label={words.maxDepth}>{maxDepth ?? words.byDefault}</Fact>
        </dl>
        {children}
      </div>
    </div>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="gap-4 sm:flex">
      <dt className="w-40 shrink-0 text-sm text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}

interface NamesProps {
  readonly names: readonly string[]
  /** Said when the list means everything. */
  readonly all: string
  readonly none: string
}

function Names({ names, all, none }: NamesProps) {
  if (names.includes('*')) return all
  if (names.length === 0) return none
  return (
    <ul className="flex flex-wrap gap-1.5">
      {names.map(name => (
        <li key={name} data-text="" className="rounded-lg bg-panel px-2 py-0.5 text-sm break-all">
          {name}
        </li>
      ))}
    </ul>
  )
}

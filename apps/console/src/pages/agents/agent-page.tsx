import type { ChatId } from '@throughline/protocol'
import { ArrowLeft, Copy, MessageSquareText, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AgentInList } from '../../agents/agents-api.ts'
import { IconButton } from '../../controls/icon-button.tsx'
import { PageHeader } from '../../navigation/page-header.tsx'
import { PageLink } from '../../navigation/page-link.tsx'
import { chatRoute, type PageRoute } from '../../navigation/route.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import { TryChat } from './try-chat.tsx'

interface Props {
  readonly title: string
  /** The agent as the server has it; `undefined` when it is not saved yet. */
  readonly agent: AgentInList | undefined
  /** Whether the form has changes that are not saved. */
  readonly isChanged?: boolean
  readonly onMenu: () => void
  readonly onGo: (route: PageRoute) => void
  /** Called with the chat in which the agent is tried: see `TryChat`. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  readonly onCopy?: (() => void) | undefined
  readonly onRemove?: (() => void) | undefined
  readonly children: ReactNode
}

/** The page of one agent: what it is, and beside it a chat to try it. */
export function AgentPage({ title, agent, isChanged = false, children, ...props }: Props) {
  const words = useOtherPagesWords().agents
  const { onMenu, onGo, onTrial, onCopy, onRemove } = props
  const [isTrying, setIsTrying] = useState(false)
  const obstacle = whyNot(agent)
  return (
    <>
      <main
        className={`flex min-w-0 flex-1 flex-col ${isTrying && obstacle === undefined ? 'max-lg:invisible' : ''}`}
      >
        <PageHeader title={title} onMenu={onMenu}>
          <AgentActions
            isTrying={isTrying}
            onCopy={onCopy}
            onRemove={onRemove}
            onTry={() => setIsTrying(!isTrying)}
          />
        </PageHeader>
        <PageLink
          route={{ page: 'agents' }}
          onGo={onGo}
          className="flex min-h-10 items-center gap-1.5 self-start px-4 text-sm text-muted hover:text-ink"
        >
          <ArrowLeft size={14} /> {words.back}
        </PageLink>
        {isTrying && obstacle !== undefined && (
          <p role="status" className="border-y border-line bg-panel px-4 py-2 text-sm">
            {words[obstacle]}
          </p>
        )}
        {children}
      </main>
      {isTrying && agent !== undefined && obstacle === undefined && (
        <TryChat
          agent={agent}
          note={isChanged ? words.tryUnsaved : words.tryHint}
          onTrial={onTrial}
          onClose={() => setIsTrying(false)}
          onKeep={chatId => onGo(chatRoute(chatId))}
        />
      )}
    </>
  )
}

/** Returns why an agent cannot be tried; `undefined` when it can. */
function whyNot(agent: AgentInList | undefined): 'saveFirst' | 'switchOnFirst' | 'notForPeople' | undefined {
  if (agent === undefined) return 'saveFirst'
  if (!agent.isEnabled) return 'switchOnFirst'
  return agent.answersPeople ? undefined : 'notForPeople'
}

interface ActionsProps {
  readonly isTrying: boolean
  /** Missing for an agent that is not saved yet. */
  readonly onCopy?: (() => void) | undefined
  /** Missing for an agent that cannot be deleted here. */
  readonly onRemove?: (() => void) | undefined
  readonly onTry: () => void
}

/** What can be done with an agent, in the header of its page. */
function AgentActions({ isTrying, onCopy, onRemove, onTry }: ActionsProps) {
  const words = useOtherPagesWords().agents
  const look =
    'flex min-h-10 min-w-10 shrink-0 items-center justify-center gap-1.5 rounded-lg px-2 text-sm hover:bg-panel'
  const icon = 'min-h-10 min-w-10 rounded-lg text-muted hover:bg-panel'
  return (
    <div className="-my-1.5 flex shrink-0 items-center">
      {onCopy && (
        <IconButton icon={Copy} label={words.copy} onClick={onCopy} className={`${icon} hover:text-ink`} />
      )}
      {onRemove && (
        <IconButton
          icon={Trash2}
          label={words.remove}
          onClick={onRemove}
          className={`${icon} hover:text-danger`}
        />
      )}
      <button type="button" aria-pressed={isTrying} onClick={onTry} className={`${look} text-accent`}>
        <MessageSquareText size={16} /> {words.tryIt}
      </button>
    </div>
  )
}

/** What an agent in code has. It can only be read. */
export function CodeAgent({
  agent,
  children,
}: {
  readonly agent: AgentInList
  readonly children: ReactNode
}) {
  const words = useOtherPagesWords().agents
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

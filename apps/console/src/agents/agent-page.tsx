import type { ChatId } from '@throughline/protocol'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { PageHeader } from '../navigation/page-header.tsx'
import { PageLink } from '../navigation/page-link.tsx'
import { chatRoute, type Route } from '../navigation/route.ts'
import { AgentActions } from './agent-actions.tsx'
import { useAgentsWords } from './agents-words.ts'
import type { ListedAgent } from './listed-agent.ts'
import { TryChat } from './try-chat.tsx'

interface Props {
  readonly title: string
  /** The agent as the server has it; `undefined` when it is not saved yet. */
  readonly agent: ListedAgent | undefined
  /** Whether the form has changes that are not saved. */
  readonly isChanged?: boolean
  readonly onMenu: () => void
  readonly onGo: (route: Route) => void
  /** Called with the chat in which the agent is tried: see `TryChat`. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  readonly onCopy?: (() => void) | undefined
  readonly onRemove?: (() => void) | undefined
  readonly children: ReactNode
}

/** The page of one agent: what it is, and beside it a chat to try it. */
export function AgentPage({ title, agent, isChanged = false, children, ...props }: Props) {
  const words = useAgentsWords()
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
function whyNot(agent: ListedAgent | undefined): 'saveFirst' | 'switchOnFirst' | 'notForPeople' | undefined {
  if (agent === undefined) return 'saveFirst'
  if (!agent.isEnabled) return 'switchOnFirst'
  return agent.answersPeople ? undefined : 'notForPeople'
}

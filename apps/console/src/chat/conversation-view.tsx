import type { AgentChat } from '@throughline/client/react'
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import {
  AgentNote,
  AgentPicker,
  expectedName,
  useAgentChoice,
  useModelChoice,
} from '../agents/agent-choice.tsx'
import type { AgentItem } from '../agents/use-agents.ts'
import type { CommandActions } from '../compose/commands.ts'
import { type Composed, Composer } from '../compose/composer.tsx'
import type { Draft } from '../compose/use-draft.ts'
import { ReadyProvider } from '../messages/chat-readiness.tsx'
import { groupAnswers, type MessageGroup } from '../messages/group-answers.ts'
import { MessageList } from '../messages/message-list.tsx'
import { MessageScroller, useStickToEnd } from '../messages/message-scroller.tsx'
import { Thinking } from '../messages/sender.tsx'
import { useLatestFirst } from '../messages/use-latest-first.ts'
import { ChatActionsProvider } from '../parts/chat-actions.tsx'
import { isBeingWritten } from '../parts/stage.ts'
import { addressOf } from '../server/base-path.ts'
import { useWords } from '../settings/settings.tsx'
import { useMessageActions } from './use-message-actions.ts'

interface Props {
  readonly chat: AgentChat
  readonly chatId: string
  readonly draft: Draft
  /** Whether the person writes in place of the agent. Then sending is possible although an answer is awaited. */
  readonly isReplying: boolean
  readonly agents: readonly AgentItem[]
  /** Where the agent and its model are shown. Without it they are not. */
  readonly headerNote?: HTMLElement | null
  readonly onFirstMessage: () => void
  /** Opens the inspector for an answer. */
  readonly onInspect: (messageId: string) => void
  /** Drawn above the field in which the person writes. */
  readonly children: ReactNode
}

type Sent = Pick<Composed, 'text'> & Partial<Composed>

/** The messages of a chat, and the field to write the next one. */
export function ConversationView({ chat, chatId, draft, isReplying, agents, headerNote, ...props }: Props) {
  const words = useWords()
  const { onFirstMessage, onInspect, children } = props
  const { messages, status } = chat
  const groups = useMessageGroups(chat)
  const stick = useStickToEnd()
  const { toEnd } = stick
  const choice = useAgentChoice(messages, agents)
  const { agent, choose } = choice
  const models = useModelChoice(messages, agent)
  // The name of the agent that was asked for another answer: it need not be the agent of the chat.
  const [asked, setAsked] = useState<string>()
  const onAsk = useCallback(
    (name?: string) => {
      setAsked(name)
      toEnd()
    },
    [toEnd],
  )
  const actions = useMessageActions({ chat, groups, draft, agents: choice, models, onAsk, onInspect })
  const send = ({ text, files = [], isInterrupting = false }: Sent) => {
    if (messages.length === 0) onFirstMessage()
    onAsk()
    const onBusy = isInterrupting ? 'interrupt' : 'queue'
    chat.send(text, { agent: choice.sent, model: models.sent, files, onBusy })
  }
  const commands: CommandActions = { chatId, agents, chooseAgent: choose }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {headerNote &&
        createPortal(
          <AgentNote
            agents={agents}
            agent={agent}
            onChoose={choose}
            model={models.model}
            onChooseModel={models.choose}
          />,
          headerNote,
        )}
      <MessageScroller stick={stick}>
        {messages.length === 0 && status === 'ready' && (
          <Welcome examples={agent?.examples ?? []} onChoose={text => send({ text })}>
            <AgentPicker agents={agents} selected={agent} onChoose={choose} />
          </Welcome>
        )}
        <ChatActionsProvider value={actions}>
          <ShownMessages
            chat={chat}
            groups={groups.current}
            agents={agents}
            selectedAgent={agent?.name}
            isReplying={isReplying}
          />
        </ChatActionsProvider>
        <Awaited chat={chat} name={asked ?? expectedName(messages, agent)} />
      </MessageScroller>
      <div className="px-4 pt-1 pb-4">
        {children}
        <Composer
          isBusy={!isReplying && (status === 'submitted' || status === 'streaming')}
          draft={draft}
          commands={isReplying ? undefined : commands}
          placeholder={isReplying ? words.replyPlaceholder : words.placeholder}
          onSend={send}
          onStop={chat.stop}
        />
      </div>
    </div>
  )
}

/** Returns the messages with those of their sub-agents. `current` is the newest state, also for what began before. */
function useMessageGroups({ messages, versions }: AgentChat): RefObject<readonly MessageGroup[]> {
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = useMemo(() => groupAnswers({ messages, versions }, groups.current), [messages, versions])
  return groups
}

interface ShownProps extends Pick<Props, 'chat' | 'agents' | 'isReplying'> {
  readonly groups: readonly MessageGroup[]
  /** The name of the agent that answers next. */
  readonly selectedAgent: string | undefined
}

/** The messages of a chat. In a long one, the last messages are drawn first. */
function ShownMessages({ chat, groups, agents, selectedAgent, isReplying }: ShownProps) {
  const shown = useLatestFirst(groups)
  return (
    <ReadyProvider isReady={chat.status === 'ready'}>
      <MessageList
        groups={shown}
        offset={groups.length - shown.length}
        agents={agents}
        selectedAgent={selectedAgent}
        unsent={chat.unsent}
        isReplying={isReplying}
      />
    </ReadyProvider>
  )
}

/** Says who is going to answer. An answer that is being written says itself that its agent works. */
function Awaited({
  chat: { messages, status },
  name,
}: Pick<Props, 'chat'> & { readonly name: string | undefined }) {
  const words = useWords()
  const isAwaited = status === 'submitted' && !messages.some(isBeingWritten)
  // Before the list of agents is there, and without it, the bubble has a name all the same.
  const shown = name ?? words.agent
  return isAwaited && <Thinking name={shown} label={words.thinking(shown)} />
}

interface WelcomeProps {
  readonly examples: readonly string[]
  readonly onChoose: (text: string) => void
  /** Drawn above the examples. */
  readonly children: ReactNode
}

/** A chat before its first message. */
function Welcome({ examples, onChoose, children }: WelcomeProps) {
  const words = useWords()
  return (
    <section className="mt-[10vh] text-center">
      <img src={addressOf('/icon.svg')} alt="" className="mx-auto size-14" />
      <h2 className="mt-5 text-2xl font-semibold tracking-tight">{words.welcome}</h2>
      <p className="mx-auto mt-2 max-w-md text-muted">{words.welcomeText}</p>
      {children}
      <ul className="mx-auto mt-8 grid max-w-xl gap-2 sm:grid-cols-2">
        {examples.map(example => (
          <li key={example}>
            <button
              type="button"
              onClick={() => onChoose(example)}
              className="h-full w-full rounded-2xl border border-line bg-raised px-4 py-3 text-left text-sm hover:border-accent"
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { AgentChat } from '@throughline/client/react'
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ChatActionsProvider } from '../chat-actions.tsx'
import { ReadyProvider } from '../chat-readiness.tsx'
import type { AgentItem } from '../chats/use-chats.ts'
import type { CommandActions } from '../compose/command-actions.ts'
import { isLive } from '../parts/stage.ts'
import { useWords } from '../settings/settings.tsx'
import { AgentNote } from './agent-note.tsx'
import { AgentPicker } from './agent-picker.tsx'
import { type Composed, Composer } from './composer.tsx'
import { expectedName } from './expected-name.ts'
import { groupAnswers, type MessageGroup } from './group-answers.ts'
import { MessageList } from './message-list.tsx'
import { MessageScroller } from './message-scroller.tsx'
import { Thinking } from './sender.tsx'
import { useAgentChoice } from './use-agent-choice.ts'
import type { Draft } from './use-draft.ts'
import { useLatestFirst } from './use-latest-first.ts'
import { useMessageActions } from './use-message-actions.ts'
import { useModelChoice } from './use-model-choice.ts'
import { useStickToEnd } from './use-stick-to-end.ts'
import { Welcome } from './welcome.tsx'

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
export function Conversation({ chat, chatId, draft, isReplying, agents, headerNote, ...props }: Props) {
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
  const isAwaited = status === 'submitted' && !messages.some(isLive)
  // Before the list of agents is there, and without it, the bubble has a name all the same.
  const shown = name ?? words.agent
  return isAwaited && <Thinking name={shown} label={words.thinking(shown)} />
}

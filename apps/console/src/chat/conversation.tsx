import type { AgentChat } from '@throughline/client/react'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ChatActionsProvider, type MessageActions } from '../chat-actions.tsx'
import { ReadyProvider } from '../chat-readiness.tsx'
import type { AgentItem } from '../chats/use-chats.ts'
import type { CommandActions } from '../compose/command-actions.ts'
import { isLive } from '../parts/stage.ts'
import { useWords } from '../settings/settings.tsx'
import { AgentNote } from './agent-note.tsx'
import { AgentPicker } from './agent-picker.tsx'
import { type Composed, Composer } from './composer.tsx'
import { expectedName } from './expected-name.ts'
import { goOnMetadata, goOnText } from './go-on.ts'
import { groupAnswers, type MessageGroup } from './group-answers.ts'
import { MessageList } from './message-list.tsx'
import { Thinking } from './sender.tsx'
import { useAgentChoice } from './use-agent-choice.ts'
import type { Draft } from './use-draft.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useLatestFirst } from './use-latest-first.ts'
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
  const { messages, status, unsent, versions } = chat
  const isReady = status === 'ready'
  // An answer that is being written has a line of its own that says that its agent works.
  const isAwaited = status === 'submitted' && !messages.some(isLive)
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = useMemo(() => groupAnswers({ messages, versions }, groups.current), [messages, versions])
  const shown = useLatestFirst(groups.current)
  const { scroller, content, isAtEnd, toEnd } = useStickToEnd()
  useKeptFocus(scroller)
  const { agent, sent, choose } = useAgentChoice(messages, agents)
  const models = useModelChoice(messages, agent)
  const model = models.sent
  const agentName = agent?.name
  // The name of the agent that was asked for another answer: it need not be the agent of the chat.
  const [asked, setAsked] = useState<string>()
  const name = asked ?? expectedName(messages, agent)

  const { approve, deleteMessage, discard, edit, regenerate, retry, send: sendText, showVersion } = chat
  const latestDraft = useRef(draft)
  latestDraft.current = draft
  const actions: MessageActions = useMemo(
    () => ({
      approve,
      deleteMessage,
      discard,
      inspect: onInspect,
      retry,
      showVersion,
      edit(messageId, text) {
        setAsked(undefined)
        toEnd()
        // The new version goes to the same person, when the message was for a person.
        const asked = groups.current.find(({ message }) => message.id === messageId)?.message.metadata
        const isForPerson = asked?.communicationType === 'user-to-user'
        const to = isForPerson ? { agent: `user::${asked?.receiverName ?? ''}` } : { agent: sent, model }
        return edit(messageId, text, to)
      },
      goOn({ metadata }) {
        setAsked(metadata?.senderName)
        toEnd()
        const text = goOnText(groups.current.map(({ message }) => message))
        return sendText(text, {
          agent: metadata?.agent?.name,
          model: metadata?.agent?.name === agentName ? model : undefined,
          metadata: goOnMetadata,
        })
      },
      regenerate(messageId) {
        const answer = groups.current.find(({ message }) => message.id === messageId)
        setAsked(answer?.message.metadata?.senderName)
        toEnd()
        // The choice is for the agent of the chat, which need not be the one that has answered.
        const isSame = answer?.message.metadata?.agent?.name === agentName
        return regenerate(messageId, { model: isSame ? model : undefined })
      },
      takeBack(messageId) {
        const group = groups.current.find(({ message }) => message.id === messageId)
        discard(messageId)
        if (group !== undefined) latestDraft.current.takeBack(group.message)
      },
    }),
    [
      agentName,
      approve,
      deleteMessage,
      discard,
      edit,
      model,
      onInspect,
      regenerate,
      retry,
      sendText,
      sent,
      showVersion,
      toEnd,
    ],
  )
  const send = ({ text, files = [], isInterrupting = false }: Sent) => {
    if (messages.length === 0) onFirstMessage()
    setAsked(undefined)
    toEnd()
    chat.send(text, { agent: sent, model, files, onBusy: isInterrupting ? 'interrupt' : 'queue' })
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
      <section
        ref={scroller}
        id="messages"
        aria-label={words.messages}
        data-reading={isAtEnd ? undefined : ''}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 -outline-offset-2"
      >
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-3">
          {messages.length === 0 && isReady && (
            <Welcome examples={agent?.examples ?? []} onChoose={text => send({ text })}>
              <AgentPicker agents={agents} selected={agent} onChoose={choose} />
            </Welcome>
          )}
          <ChatActionsProvider value={actions}>
            <ReadyProvider isReady={isReady}>
              <MessageList
                groups={shown}
                offset={groups.current.length - shown.length}
                agents={agents}
                selectedAgent={agent?.name}
                unsent={unsent}
                isReplying={isReplying}
              />
            </ReadyProvider>
          </ChatActionsProvider>
          {isAwaited && name !== undefined && <Thinking name={name} label={words.thinking(name)} />}
        </div>
      </section>
      {!isAtEnd && (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-24 left-1/2 flex -translate-x-1/2 items-center gap-1 rounded-full border border-line bg-raised px-3 py-1 text-sm shadow"
        >
          <ArrowDown size={14} /> {words.latest}
        </button>
      )}
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

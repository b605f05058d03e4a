import type { AgentChat } from '@throughline/client/react'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ChatActionsProvider, type MessageActions, ReadyProvider } from '../chat-actions.tsx'
import type { AgentItem } from '../chats/use-chats.ts'
import { isLive } from '../parts/stage.ts'
import { useWords } from '../settings/settings.tsx'
import { AgentNote } from './agent-note.tsx'
import { AgentPicker } from './agent-picker.tsx'
import { Composer } from './composer.tsx'
import { expectedName } from './expected-name.ts'
import { goOnMetadata, goOnText } from './go-on.ts'
import { groupAnswers, type MessageGroup } from './group-answers.ts'
import { MessageList } from './message-list.tsx'
import { Thinking } from './sender.tsx'
import { useAgentChoice } from './use-agent-choice.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useLatestFirst } from './use-latest-first.ts'
import { useStickToEnd } from './use-stick-to-end.ts'
import { Welcome } from './welcome.tsx'

interface Props {
  readonly chat: AgentChat
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

/** The messages of a chat, and the field to write the next one. */
export function Conversation(props: Props) {
  const { chat, isReplying, agents, headerNote, onFirstMessage, onInspect, children } = props
  const words = useWords()
  const { messages, status, unsent } = chat
  const isReady = status === 'ready'
  // An answer that is being written has a line of its own that says that its agent works.
  const isAwaited = status === 'submitted' && !messages.some(isLive)
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = groupAnswers(chat, groups.current)
  const shown = useLatestFirst(groups.current)
  const { scroller, content, isAtEnd, toEnd } = useStickToEnd()
  useKeptFocus(scroller)
  const { agent, sent, choose } = useAgentChoice(messages, agents)
  // The name of the agent that was asked for another answer: it need not be the agent of the chat.
  const [asked, setAsked] = useState<string>()
  const name = asked ?? expectedName(messages, agent)

  const { approve, deleteMessage, edit, regenerate, retry, send: sendText, showVersion } = chat
  const actions: MessageActions = useMemo(
    () => ({
      approve,
      deleteMessage,
      inspect: onInspect,
      retry,
      showVersion,
      edit(messageId, text) {
        setAsked(undefined)
        toEnd()
        // The new version goes to the same person, when the message was for a person.
        const asked = groups.current.find(({ message }) => message.id === messageId)?.message.metadata
        const isForPerson = asked?.communicationType === 'user-to-user'
        return edit(messageId, text, { agent: isForPerson ? `user::${asked?.receiverName ?? ''}` : sent })
      },
      goOn({ metadata }) {
        setAsked(metadata?.senderName)
        toEnd()
        const text = goOnText(groups.current.map(({ message }) => message))
        return sendText(text, { agent: metadata?.agent?.name, metadata: goOnMetadata })
      },
      regenerate(messageId) {
        const answer = groups.current.find(({ message }) => message.id === messageId)
        setAsked(answer?.message.metadata?.senderName)
        toEnd()
        return regenerate(messageId)
      },
    }),
    [approve, deleteMessage, edit, onInspect, regenerate, retry, sendText, sent, showVersion, toEnd],
  )
  const send = (text: string) => {
    if (messages.length === 0) onFirstMessage()
    setAsked(undefined)
    toEnd()
    chat.send(text, { agent: sent })
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {headerNote && createPortal(<AgentNote agents={agents} agent={agent} onChoose={choose} />, headerNote)}
      <section
        ref={scroller}
        id="messages"
        aria-label={words.messages}
        data-reading={isAtEnd ? undefined : ''}
        // Who scrolls with the keyboard needs the focus here.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 -outline-offset-2"
      >
        <div
          ref={content}
          data-busy={isReady ? undefined : ''}
          className="messages mx-auto flex max-w-3xl flex-col gap-3"
        >
          {messages.length === 0 && isReady && (
            <Welcome examples={agent?.examples ?? []} onChoose={send}>
              <AgentPicker agents={agents} selected={agent} onChoose={choose} />
            </Welcome>
          )}
          <ChatActionsProvider value={actions}>
            <ReadyProvider value={isReady}>
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
          placeholder={isReplying ? words.replyPlaceholder : words.placeholder}
          onSend={send}
          onStop={chat.stop}
        />
      </div>
    </div>
  )
}

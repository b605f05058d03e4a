import { useAgentChat } from '@throughline/client/react'
import { type ChatId, createId, isChatId, type Message } from '@throughline/protocol'
import { RotateCcw, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentInList, DefinedAgentKey } from '../../agents/agents-api.ts'
import { ConversationView } from '../../chat/conversation-view.tsx'
import { Notices } from '../../chat/notices.tsx'
import { useDraft } from '../../compose/use-draft.ts'
import { IconButton } from '../../controls/icon-button.tsx'
import { rememberInspected } from '../../inspector/use-inspected.ts'
import { WaitingAbove } from '../../queue/waiting-above.tsx'
import { accessHeaders } from '../../server/access.ts'
import { addressOf, basePath } from '../../server/base-path.ts'
import { pageContext } from '../../server/place-in-address.ts'
import { serverFetch } from '../../server/server-fetch.ts'
import { useWords } from '../../settings/settings.tsx'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'

interface Props {
  readonly agent: DefinedAgentKey & Pick<AgentInList, 'displayName' | 'pageIds'>
  /** What the person should know before they try it. */
  readonly note: string
  /** Called with the chat that is shown, and with `undefined` when it is not shown any more. */
  readonly onTrial: (chatId: ChatId | undefined) => void
  readonly onClose: () => void
  /** Goes to the trial as to any other chat. Then it is kept. */
  readonly onKeep: (chatId: ChatId) => void
}

/** A chat with one agent, beside its form. */
export function TryChat({ agent, note, onTrial, onClose, onKeep }: Props) {
  const words = useOtherPagesWords().agents
  const [chatId, setChatId] = useState(newChatId)
  const [hasBegun, setHasBegun] = useState(false)
  useEffect(() => {
    onTrial(chatId)
    return () => onTrial(undefined)
  }, [chatId, onTrial])
  return (
    <section
      aria-label={words.tryIt}
      className="fixed inset-0 z-10 flex flex-col bg-page lg:static lg:z-0 lg:w-[26rem] lg:shrink-0 lg:border-l lg:border-line"
    >
      <TrialHeader
        name={agent.displayName}
        onClose={onClose}
        begun={
          hasBegun
            ? {
                onKeep: () => onKeep(chatId),
                onAgain() {
                  setChatId(newChatId())
                  setHasBegun(false)
                },
              }
            : undefined
        }
      />
      <p className="border-b border-line bg-panel px-4 py-1.5 text-sm text-muted">{note}</p>
      <Trial
        key={chatId}
        chatId={chatId}
        agent={agent}
        onFirstMessage={() => setHasBegun(true)}
        onKeep={onKeep}
      />
    </section>
  )
}

interface HeaderProps {
  /** The name of the agent, as people read it. */
  readonly name: string
  readonly onClose: () => void
  /** What can be done once the chat has begun; `undefined` before. */
  readonly begun: { readonly onKeep: () => void; readonly onAgain: () => void } | undefined
}

function TrialHeader({ name, onClose, begun }: HeaderProps) {
  const words = useOtherPagesWords().agents
  const { colon } = useWords()
  return (
    <header className="flex items-center gap-1 border-b border-line py-0.5 pr-2 pl-4">
      <h2 className="min-w-0 flex-1 truncate font-medium">
        {words.tryIt}
        {colon}
        {name}
      </h2>
      {begun && (
        <>
          <button
            type="button"
            onClick={begun.onKeep}
            className="min-h-10 shrink-0 rounded-lg px-2 text-sm text-muted hover:text-ink"
          >
            {words.keep}
          </button>
          <IconButton icon={RotateCcw} label={words.again} onClick={begun.onAgain} className={look} />
        </>
      )}
      <IconButton icon={X} label={words.closeTry} onClick={onClose} className={look} iconPx={18} />
    </header>
  )
}

const look = 'size-10 rounded-lg text-muted hover:bg-panel hover:text-ink'

interface TrialProps extends Pick<Props, 'agent' | 'onKeep'> {
  readonly chatId: ChatId
  readonly onFirstMessage: () => void
}

function Trial({ chatId, agent, onFirstMessage, onKeep }: TrialProps) {
  const { name, workspaceId, pageIds } = agent
  // One list for all renderings: otherwise every message would be drawn again with each chunk.
  const agents = useMemo(() => [agent], [agent])
  const hasBegun = useRef(false)
  const draft = useDraft('trial')
  const [lastQueued, setLastQueued] = useState<Message>()
  useDeletedAtEnd(chatId, hasBegun)
  const chat = useAgentChat({
    chatId,
    url: basePath,
    isNew: true,
    agent: name,
    fetch: serverFetch,
    headers: accessHeaders,
    onQueued: ({ message }) => setLastQueued(message),
    context: () => {
      const context = pageContext()
      const isHere = pageIds.length === 0 || pageIds.includes(context.pageId ?? '')
      // Elsewhere it would not be there at all.
      return { ...context, workspaceId, pageId: isHere ? context.pageId : pageIds[0] }
    },
  })
  return (
    <>
      <Notices chat={chat} />
      <ConversationView
        chat={chat}
        chatId={chatId}
        draft={draft}
        isReplying={false}
        agents={agents}
        onFirstMessage={() => {
          hasBegun.current = true
          onFirstMessage()
        }}
        onInspect={messageId => {
          rememberInspected(chatId, messageId)
          onKeep(chatId)
        }}
      >
        <WaitingAbove chatId={chatId} chat={chat} draft={draft} lastQueued={lastQueued} />
      </ConversationView>
    </>
  )
}

/** Deletes the chat of a trial when the person leaves it, unless they go to that chat. */
function useDeletedAtEnd(chatId: ChatId, hasBegun: { readonly current: boolean }): void {
  useEffect(() => {
    const end = () => {
      if (!hasBegun.current || location.pathname === addressOf(`/chats/${chatId}`)) return
      // `keepalive`: the request is sent although the page is being left. If it is lost, the chat stays in the list,
      // where the person can delete it.
      serverFetch(addressOf(`/api/chats/${chatId}`), {
        method: 'DELETE',
        headers: accessHeaders(),
        keepalive: true,
      }).catch(() => undefined)
    }
    addEventListener('pagehide', end)
    return () => {
      removeEventListener('pagehide', end)
      end()
    }
  }, [chatId, hasBegun])
}

function newChatId(): ChatId {
  return createId(isChatId, 'chat')
}

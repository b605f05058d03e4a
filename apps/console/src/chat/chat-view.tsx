import type { ChatError } from '@throughline/client/chat-error'
import { useAgentChat } from '@throughline/client/react'
import { senderNameOf } from '@throughline/client/sender-name'
import type { ChatId } from '@throughline/protocol/ids'
import { ArrowDown, CircleAlert } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'
import { accessHeaders } from '../settings/access.ts'
import { useWords } from '../settings/settings.tsx'
import { ChatActionsProvider } from './chat-actions.tsx'
import { Composer } from './composer.tsx'
import { groupAnswers, type MessageGroup } from './group-answers.ts'
import { LoadFailed } from './load-failed.tsx'
import { MessageView } from './message-view.tsx'
import { Thinking } from './sender.tsx'
import { type UrlOffer, UrlOffers, urlOfferFrom } from './url-offers.tsx'
import { useStickToEnd } from './use-stick-to-end.ts'
import { Welcome } from './welcome.tsx'

interface Props {
  readonly chatId: ChatId
  readonly isNew: boolean
  readonly agents: readonly AgentItem[]
  /** The chat has begun, or an answer in it has ended: titles and order in the list may be new. */
  readonly onChange: () => void
  readonly onFirstMessage: () => void
}

export function ChatView({ chatId, isNew, agents, onChange, onFirstMessage }: Props) {
  const words = useWords()
  const [agent] = agents
  const [offers, setOffers] = useState<readonly UrlOffer[]>([])
  const chat = useAgentChat({
    chatId,
    isNew,
    headers: accessHeaders,
    context: pageContext,
    onUiEvent: data => {
      const offer = urlOfferFrom(data)
      if (offer !== undefined)
        setOffers(known => [...known.filter(({ url }) => url !== offer.url), offer].slice(-3))
    },
  })
  const { messages, status, connection, error, unsent } = chat
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = groupAnswers(messages, groups.current)
  const actions = useMemo(() => ({ decide: chat.decide }), [chat.decide])
  const { scroller, isAtEnd, toEnd } = useStickToEnd(messages)

  useEffect(() => {
    if (status === 'streaming' || status === 'ready') onChange()
  }, [status, onChange])

  const send = (text: string) => {
    if (messages.length === 0) onFirstMessage()
    toEnd()
    chat.send(text)
  }

  if (error !== undefined && messages.length === 0 && status === 'loading')
    return <LoadFailed error={error} />
  const name = senderNameOf({}, { agents, selectedAgent: agent?.name, fallback: words.agent })
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {connection === 'lost' && <Banner text={words.lost} />}
      {error !== undefined && <Banner text={error.message} />}
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-4 py-6" aria-live="polite">
        <div className="mx-auto flex max-w-3xl flex-col gap-6">
          {messages.length === 0 && status === 'ready' && (
            <Welcome examples={agent?.examples ?? []} onChoose={send} />
          )}
          <ChatActionsProvider value={actions}>
            {groups.current.map(group => (
              <Sent
                key={group.message.id}
                group={group}
                agents={agents}
                failure={unsent.get(group.message.id)}
                onRetry={chat.retry}
              />
            ))}
          </ChatActionsProvider>
          {status === 'submitted' && <Thinking name={name} label={words.thinking(name)} />}
        </div>
      </div>
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
        <UrlOffers
          offers={offers}
          onDismiss={offer => setOffers(known => known.filter(each => each !== offer))}
        />
        <Composer
          isBusy={status === 'submitted' || status === 'streaming'}
          onSend={send}
          onStop={chat.stop}
        />
      </div>
    </div>
  )
}

/** This page, as agents are told of it: a chat, and nothing that was asked about it. */
function pageContext() {
  return { tabs: [{ id: 'console', title: document.title, url: '', kind: 'chat' }], activeTabId: 'console' }
}

interface SentProps {
  readonly group: MessageGroup
  readonly agents: readonly AgentItem[]
  readonly failure: ChatError | undefined
  readonly onRetry: (messageId: string) => void
}

/** A message, and if it did not get through, that it did not. */
function Sent({ group, agents, failure, onRetry }: SentProps) {
  const words = useWords()
  return (
    <>
      <MessageView group={group} agents={agents} />
      {failure !== undefined && (
        <p role="alert" className="-mt-4 flex items-center justify-end gap-2 text-sm text-danger">
          <CircleAlert size={14} className="shrink-0" />
          <span>
            {words.notSent}: {failure.message}
          </span>
          <button
            type="button"
            onClick={() => onRetry(group.message.id)}
            className="font-semibold underline underline-offset-2"
          >
            {words.retry}
          </button>
        </p>
      )}
    </>
  )
}

function Banner({ text }: { readonly text: string }) {
  return (
    <p role="status" className="border-b border-line bg-panel px-4 py-1.5 text-center text-sm text-warning">
      {text}
    </p>
  )
}

import type { ChatError } from '@throughline/client'
import { type AgentChat, useAgentChat } from '@throughline/client/react'
import type { ChatId, Message } from '@throughline/protocol'
import { Suspense, useEffect, useState } from 'react'
import { basePath } from '../base-path.ts'
import type { AgentItem } from '../chats/use-chats.ts'
import { browserOutbox } from '../compose/browser-outbox.ts'
import { ErrorText, usePreloadedErrors } from '../errors/error-text.tsx'
import { lazyPart } from '../lazy-part.ts'
import { useWarmMarkdown } from '../parts/use-warm-markdown.ts'
import { accessHeaders } from '../settings/access.ts'
import { useWords } from '../settings/settings.tsx'
import { UnknownNote } from '../unknown-note.tsx'
import { ChannelBar } from './channel-bar.tsx'
import { Conversation } from './conversation.tsx'
import { LoadFailed } from './load-failed.tsx'
import { Notices } from './notices.tsx'
import { pageContext } from './page-context.ts'
import { PersonBar } from './person-bar.tsx'
import type { UrlOffer } from './url-offer.ts'
import { type ChatChannel, useChannel } from './use-channel.ts'
import { type Draft, useDraft } from './use-draft.ts'
import { usePerson } from './use-person.ts'
import { useRefusal } from './use-refusal.ts'
import { useUrlOffers } from './use-url-offers.ts'
import { WaitingAbove } from './waiting-above.tsx'

// A script of its own: most chats have no offers.
const UrlOffers = lazyPart(async () => (await import('./url-offers.tsx')).UrlOffers)
// Loaded later: nothing is announced before the chat is there.
const Announcer = lazyPart(async () => (await import('./announcer.tsx')).Announcer)

interface Props {
  readonly chatId: ChatId
  readonly isNew: boolean
  /** Whether the list of chats has it; `undefined` until the list is loaded. */
  readonly isListed: boolean | undefined
  readonly agents: readonly AgentItem[]
  /** Where the agent and its model are shown. */
  readonly headerNote: HTMLElement | null
  /** Sends the requests of the chat. */
  readonly fetch: typeof globalThis.fetch
  readonly onFirstMessage: () => void
  /** Called with whether there is no such chat. */
  readonly onUnknown: (isUnknown: boolean) => void
  /** Opens the inspector for an answer. */
  readonly onInspect: (messageId: string) => void
  /** Opens a page that an agent offers. */
  readonly onOpenPage: (offer: UrlOffer) => void
}

/** One chat, with notices about what is wrong, and with the pages that its agents offer. */
export function ChatView(props: Props) {
  const { chatId, isNew, isListed, agents, headerNote, fetch } = props
  const { onFirstMessage, onUnknown, onInspect, onOpenPage } = props
  const words = useWords()
  const { offers, onUiEvent, dismiss } = useUrlOffers()
  const [outbox] = useState(() => browserOutbox(chatId))
  const [lastQueued, setLastQueued] = useState<Message>()
  const draft = useDraft(isNew ? 'new' : chatId)
  const chat = useAgentChat({
    chatId,
    url: basePath,
    isNew,
    fetch,
    headers: accessHeaders,
    context: pageContext,
    outbox,
    onQueued: ({ message }) => setLastQueued(message),
    onUiEvent,
  })
  const { messages, status, error } = chat
  usePreloadedErrors()
  useWarmMarkdown()
  const channel = useChannel(chatId, chat)
  const person = usePerson(chatId, messages)
  const refusal = useRefusal(chat, draft, outbox)
  const speaker = channel.isTakenOver ? channel : person.isReplying ? person : undefined
  const reply = speaker && replyOf(speaker, draft)
  const [beganHere] = useState(isNew)
  const isOurs = beganHere || draft.text !== ''
  const isUnknown = useIsUnknown(!isOurs && isListed === false, chat, onUnknown)
  if (error !== undefined && messages.length === 0 && status === 'loading')
    return <LoadFailed error={error} onRetry={chat.resume} />
  if (isUnknown) return <UnknownNote text={words.unknownChatText} />
  return (
    <>
      <Suspense>
        <Announcer chat={chat} />
      </Suspense>
      <Notices chat={chat} />
      <ChannelBar channel={channel} />
      <PersonBar person={person} />
      <Conversation
        chat={reply === undefined ? chat : { ...chat, send: reply }}
        draft={draft}
        chatId={chatId}
        isReplying={reply !== undefined}
        agents={agents}
        headerNote={headerNote}
        onFirstMessage={onFirstMessage}
        onInspect={onInspect}
      >
        {offers.length > 0 && (
          <Suspense>
            <UrlOffers offers={offers} onOpen={onOpenPage} onDismiss={dismiss} />
          </Suspense>
        )}
        <WaitingAbove chatId={chatId} chat={chat} draft={draft} lastQueued={lastQueued} />
        {refusal !== undefined && <RefusalNote refusal={refusal} />}
      </Conversation>
    </>
  )
}

/** Returns a function that sends a text in place of the agent. A text that is not taken goes back into the draft. */
function replyOf(speaker: Pick<ChatChannel, 'reply'>, draft: Draft): (text: string) => Promise<void> {
  return async text => {
    const isTaken = await speaker.reply(text)
    // The bar above says why.
    if (!isTaken) draft.takeBackText(text)
  }
}

/**
 * Returns whether there is no such chat, and tells it. The server says "not found" for a chat of somebody else, too. When
 * the chat appears after all, it is shown. A chat that began here is known, also when its first message was refused or
 * taken back, and so is one with a draft: for these, `mayBeUnknown` is false.
 */
function useIsUnknown(
  mayBeUnknown: boolean,
  { messages, status }: AgentChat,
  onUnknown: Props['onUnknown'],
): boolean {
  const isUnknown = mayBeUnknown && messages.length === 0 && status === 'ready'
  useEffect(() => {
    onUnknown(isUnknown)
    return () => onUnknown(false)
  }, [isUnknown, onUnknown])
  return isUnknown
}

/** Says why a message that has waited for the server was refused. */
function RefusalNote({ refusal }: { readonly refusal: ChatError }) {
  const words = useWords()
  return (
    <p role="alert" className="mx-auto mb-2 w-full max-w-3xl px-2 text-sm text-danger">
      {words.notSent}
      {words.colon}
      <ErrorText error={refusal} />
    </p>
  )
}

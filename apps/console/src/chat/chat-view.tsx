import type { ChatError, Outbox } from '@throughline/client'
import { type AgentChat, useAgentChat } from '@throughline/client/react'
import { type ChatId, type Message, textOf } from '@throughline/protocol'
import { CircleAlert } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import type { AgentItem } from '../agents/use-agents.ts'
import { type Draft, useDraft } from '../compose/use-draft.ts'
import { lazyPart } from '../controls/lazy-part.ts'
import { UnknownNote } from '../controls/unknown-note.tsx'
import { ErrorText, usePreloadedErrors } from '../errors/error-text.tsx'
import { useWarmMarkdown } from '../markdown/markdown.tsx'
import { browserOutbox } from '../outbox/browser-outbox.ts'
import { WaitingAbove } from '../queue/waiting-above.tsx'
import { accessHeaders } from '../server/access.ts'
import { basePath } from '../server/base-path.ts'
import { pageContext } from '../server/place-in-address.ts'
import { useWords } from '../settings/settings.tsx'
import { ConversationView } from './conversation-view.tsx'
import { Notices } from './notices.tsx'
import { ChannelBar, type ChatChannel, PersonBar, useChannel, usePerson } from './reply-bars.tsx'
import { type UrlOffer, useUrlOffers } from './url-offer.ts'

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
      <ConversationView
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
      </ConversationView>
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

interface LoadFailedProps {
  readonly error: ChatError
  readonly onRetry: () => void
}

/** Says why the chat cannot be loaded, and offers to try again. */
function LoadFailed({ error, onRetry }: LoadFailedProps) {
  const words = useWords()
  return (
    <section role="alert" className="m-auto max-w-md p-6 text-center">
      <CircleAlert size={28} className="mx-auto text-danger" />
      <h2 className="mt-3 text-lg font-semibold">{words.loadFailed}</h2>
      <p className="mt-1 text-muted">
        <ErrorText error={error} />
      </p>
      <button type="button" onClick={onRetry} className="mt-4 rounded-full bg-accent px-4 py-1.5 text-page">
        {words.retry}
      </button>
    </section>
  )
}

/**
 * Puts a message that has waited for the server, and that the server then refuses for good, back into the draft, if that
 * is empty. Returns why it was refused, until the person writes on. Any other message that is refused stays in its place:
 * the person has just sent it and sees it there.
 */
function useRefusal(
  { unsent, messages, discard }: AgentChat,
  draft: Draft,
  outbox: Outbox,
): ChatError | undefined {
  const [waited] = useState(() => new Set(outbox.load().map(({ message }) => message.id)))
  const [refusal, setRefusal] = useState<{ readonly error: ChatError; readonly text: string }>()
  useEffect(() => {
    for (const [id, error] of unsent) if (error.isTemporary) waited.add(id)
    if (draft.text !== '' || draft.files.length > 0) return
    for (const [id, error] of unsent) {
      const message = messages.find(each => each.id === id)
      // With a token that is valid again, it can be sent.
      const isFinal = !error.isTemporary && error.status !== 401
      if (!isFinal || message === undefined || !waited.has(id)) continue
      discard(id)
      draft.takeBack(message)
      return setRefusal({ error, text: textOf(message) })
    }
  })
  return refusal?.text === draft.text ? refusal.error : undefined
}

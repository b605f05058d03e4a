import { ScanSearch } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react'
import type { AgentItem } from '../agents/use-agents.ts'
import type { ChatsList } from '../chats/use-chats.ts'
import { ErrorBoundary, ReloadNote } from '../controls/error-boundary.tsx'
import { type Inspected, useInspected } from '../inspector/use-inspected.ts'
import { PageHeader } from '../navigation/page-header.tsx'
import type { ChatRoute } from '../navigation/route.ts'
import { createCuttableFetch } from '../server/cuttable-fetch.ts'
import { useWords } from '../settings/settings.tsx'
import { ChatView } from './chat-view.tsx'
import type { UrlOffer } from './url-offer.ts'

// Scripts of their own: people who only chat do not load them.
const Inspector = lazy(async () => ({ default: (await import('../inspector/inspector.tsx')).Inspector }))
const OpenedPage = lazy(async () => ({ default: (await import('./opened-page.tsx')).OpenedPage }))

interface Props {
  readonly route: ChatRoute
  readonly list: ChatsList
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
  /** Called when a new chat gets its first message. */
  readonly onFirstMessage: () => void
}

/** One chat, and beside it the inspector, or a page that an agent has offered. */
export function ChatPage({ route, list, agents, onMenu, onFirstMessage }: Props) {
  const words = useWords()
  const { chatId, isNew } = route
  const [connection] = useState(createCuttableFetch)
  const inspected = useInspected(chatId)
  const [headerNote, setHeaderNote] = useState<HTMLElement | null>(null)
  const [opened, setOpened] = useState<UrlOffer & { readonly chatId: string }>()
  const isPageOpen = opened?.chatId === chatId
  const closePage = useCallback(() => setOpened(undefined), [])
  const listed = list.chats.find(chat => chat.id === chatId)
  const [isUnknown, setIsUnknown] = useState(false)
  const title = isUnknown ? words.unknownChat : listed?.title || words.newChat
  return (
    <>
      <main
        className={`flex min-w-0 flex-1 flex-col ${inspected.isOpen || isPageOpen ? 'max-lg:invisible lg:min-w-80' : ''}`}
      >
        <PageHeader title={title} onMenu={onMenu} note={<div ref={setHeaderNote} />}>
          <InspectButton inspected={inspected} />
        </PageHeader>
        <ErrorBoundary key={chatId} fallback={<ReloadNote />}>
          <ChatView
            key={chatId}
            chatId={chatId}
            isNew={isNew}
            isListed={list.isLoaded ? listed !== undefined : undefined}
            agents={agents}
            headerNote={headerNote}
            fetch={connection.fetch}
            onFirstMessage={onFirstMessage}
            onUnknown={setIsUnknown}
            onInspect={inspected.open}
            onOpenPage={offer => {
              inspected.close()
              setOpened({ ...offer, chatId })
            }}
          />
        </ErrorBoundary>
      </main>
      {isPageOpen && (
        <LoadedLater>
          <OpenedPage offer={opened} isHidden={inspected.isOpen} onClose={closePage} />
        </LoadedLater>
      )}
      {inspected.isOpen && (
        <LoadedLater>
          <Inspector
            key={chatId}
            chatId={chatId}
            messageId={inspected.messageId}
            connection={connection}
            onClose={inspected.close}
          />
        </LoadedLater>
      )}
    </>
  )
}

function InspectButton({ inspected: { isOpen, open, close } }: { readonly inspected: Inspected }) {
  const words = useWords()
  return (
    <button
      type="button"
      aria-label={words.inspectChat}
      title={`${words.inspectChat} (Alt+I)`}
      aria-expanded={isOpen}
      data-shortcut="inspect"
      onClick={() => (isOpen ? close() : open())}
      className="-mr-1 shrink-0 rounded-lg p-1 text-muted hover:bg-panel hover:text-ink"
    >
      <ScanSearch size={18} />
    </button>
  )
}

/** Draws nothing until the script of what is inside is loaded, and a note when it cannot be loaded. */
function LoadedLater({ children }: { readonly children: ReactNode }) {
  return (
    <ErrorBoundary fallback={<ReloadNote />}>
      <Suspense>{children}</Suspense>
    </ErrorBoundary>
  )
}

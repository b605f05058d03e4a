import { ScanSearch } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ChatView } from './chat/chat-view.tsx'
import type { AgentItem, ChatsList } from './chats/use-chats.ts'
import { createCuttableFetch } from './cuttable-fetch.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { PageHeader } from './navigation/page-header.tsx'
import type { ChatRoute } from './navigation/route.ts'
import { useWords } from './settings/settings.tsx'
import { useInspected } from './use-inspected.ts'

// A script of its own: people who only chat do not load it.
const Inspector = lazy(async () => ({ default: (await import('./inspector/inspector.tsx')).Inspector }))

interface Props {
  readonly route: ChatRoute
  readonly list: ChatsList
  readonly agents: readonly AgentItem[]
  readonly onMenu: () => void
  /** Called when a new chat gets its first message. */
  readonly onFirstMessage: () => void
}

/** One chat, and the inspector beside it. */
export function ChatPage({ route, list, agents, onMenu, onFirstMessage }: Props) {
  const words = useWords()
  const { chatId, isNew } = route
  const [connection] = useState(createCuttableFetch)
  const inspected = useInspected(chatId)
  const [headerNote, setHeaderNote] = useState<HTMLElement | null>(null)
  const title = list.chats.find(chat => chat.id === chatId)?.title || words.newChat
  return (
    <>
      <main className={`flex min-w-0 flex-1 flex-col ${inspected.isOpen ? 'max-lg:invisible' : ''}`}>
        <PageHeader title={title} onMenu={onMenu} note={<div ref={setHeaderNote} />}>
          <button
            type="button"
            aria-label={words.inspectChat}
            title={`${words.inspectChat} (Alt+I)`}
            aria-expanded={inspected.isOpen}
            onClick={() => (inspected.isOpen ? inspected.close() : inspected.open())}
            className="-mr-1 shrink-0 rounded-lg p-1 text-muted hover:bg-panel hover:text-ink"
          >
            <ScanSearch size={18} />
          </button>
        </PageHeader>
        <ErrorBoundary key={chatId} fallback={<p className="m-auto text-danger">{words.renderFailed}</p>}>
          <ChatView
            key={chatId}
            chatId={chatId}
            isNew={isNew}
            agents={agents}
            headerNote={headerNote}
            fetch={connection.fetch}
            onFirstMessage={onFirstMessage}
            onInspect={inspected.open}
          />
        </ErrorBoundary>
      </main>
      {inspected.isOpen && (
        <ErrorBoundary fallback={<p className="m-4 text-danger">{words.renderFailed}</p>}>
          <Suspense>
            <Inspector
              key={chatId}
              chatId={chatId}
              messageId={inspected.messageId}
              connection={connection}
              onClose={inspected.close}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  )
}

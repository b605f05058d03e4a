import type { ChatId } from '@throughline/protocol'
import { Menu, ScanSearch } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ChatView } from './chat/chat-view.tsx'
import { ChatsPanel } from './chats/chats-panel.tsx'
import { useAttention } from './chats/use-attention.ts'
import { useAgents, useChats } from './chats/use-chats.ts'
import { useRoute } from './chats/use-route.ts'
import { useUnread } from './chats/use-unread.ts'
import { createCuttableFetch } from './cuttable-fetch.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { useWords } from './settings/settings.tsx'
import { useInspected } from './use-inspected.ts'

// A script of its own: people who only chat do not load it.
const Inspector = lazy(async () => ({ default: (await import('./inspector/inspector.tsx')).Inspector }))

export function App() {
  const words = useWords()
  const route = useRoute()
  const list = useChats()
  const agents = useAgents()
  const unread = useUnread(list, route.chatId)
  useAttention({ list, unread, current: route.chatId, onShow: route.show })
  const [isPanelOpen, setIsPanelOpen] = useState(false)
  const [connection] = useState(createCuttableFetch)
  const inspected = useInspected(route.chatId)
  const title = list.chats.find(chat => chat.id === route.chatId)?.title || words.newChat

  const closePanel = () => setIsPanelOpen(false)
  const show = (chatId: ChatId) => {
    route.show(chatId)
    closePanel()
  }
  const startNew = () => {
    route.startNew()
    closePanel()
  }
  return (
    <div className="flex h-full">
      {isPanelOpen && (
        <button
          type="button"
          aria-label={words.menu}
          onClick={closePanel}
          className="fixed inset-0 z-10 bg-black/40 md:hidden"
        />
      )}
      <div
        className={`fixed inset-y-0 left-0 z-20 transition-transform md:static md:translate-x-0 ${isPanelOpen ? '' : '-translate-x-full'}`}
      >
        <ChatsPanel list={list} unread={unread} current={route.chatId} onShow={show} onNew={startNew} />
      </div>
      <main className={`flex min-w-0 flex-1 flex-col ${inspected.isOpen ? 'max-lg:invisible' : ''}`}>
        <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
          <button
            type="button"
            aria-label={words.menu}
            onClick={() => setIsPanelOpen(true)}
            className="-ml-1 p-1 md:hidden"
          >
            <Menu size={20} />
          </button>
          <h2 className="min-w-0 flex-1 truncate font-medium">{title}</h2>
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
        </header>
        <ErrorBoundary
          key={route.chatId}
          fallback={<p className="m-auto text-danger">{words.renderFailed}</p>}
        >
          <ChatView
            key={route.chatId}
            chatId={route.chatId}
            isNew={route.isNew}
            agents={agents}
            fetch={connection.fetch}
            onFirstMessage={route.keepAddress}
            onInspect={inspected.open}
          />
        </ErrorBoundary>
      </main>
      {inspected.isOpen && (
        <ErrorBoundary fallback={<p className="m-4 text-danger">{words.renderFailed}</p>}>
          <Suspense>
            <Inspector
              key={route.chatId}
              chatId={route.chatId}
              messageId={inspected.messageId}
              connection={connection}
              onClose={inspected.close}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  )
}

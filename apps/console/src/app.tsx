import type { ChatId } from '@throughline/protocol'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useAgents } from './agents/use-agents.ts'
import { ChatPage } from './chat/chat-page.tsx'
import { useAttention, useUnread } from './chats/attention.ts'
import { ChatsPanel } from './chats/chats-panel.tsx'
import { useChats } from './chats/use-chats.ts'
import { ErrorBoundary, ReloadNote } from './controls/error-boundary.tsx'
import { LinkGuard } from './links/link-guard.tsx'
import { Drawer, SkipLinks } from './navigation/page-frame.tsx'
import { chatRoute, newChatRoute, type PageRoute } from './navigation/route.ts'
import { useRoute } from './navigation/use-route.ts'
import { chatsWithKeptMessages } from './outbox/browser-outbox.ts'
import { useThemeColour } from './settings/theme.ts'

// A script of its own: people who only chat do not load it.
const OtherPage = lazy(async () => ({ default: (await import('./pages/other-page.tsx')).OtherPage }))

/** The list of chats, and beside it the page that the address names. */
export function App() {
  const { route, go: goTo, keepAddress, askBeforeLeaving } = useRoute()
  useThemeColour()
  const list = useChats()
  const { agents, reload } = useAgents()
  const [isPanelOpen, setIsPanelOpen] = useState(false)
  const go = useCallback(
    (next: PageRoute) => {
      goTo(next)
      setIsPanelOpen(false)
    },
    [goTo],
  )
  const [trial, setTrial] = useState<ChatId>()
  const current = route.page === 'chat' ? route.chatId : trial
  const unread = useUnread(list, current)
  useAttention({ list, unread, current, onShow: useCallback(chatId => go(chatRoute(chatId)), [go]) })
  useSendKept(current)
  const openPanel = useCallback(() => setIsPanelOpen(true), [])
  const closePanel = useCallback(() => setIsPanelOpen(false), [])
  const panel = (
    <ChatsPanel
      list={list}
      unread={unread}
      current={current}
      onShow={chatId => go(chatRoute(chatId))}
      onNew={() => go(newChatRoute())}
      onGo={go}
    >
      <SkipLinks hasField={route.page === 'chat'} />
    </ChatsPanel>
  )
  return (
    <div className="flex h-full">
      <Drawer isOpen={isPanelOpen} onOpen={openPanel} onClose={closePanel} panel={panel}>
        {route.page === 'chat' ? (
          <ChatPage
            route={route}
            list={list}
            agents={agents}
            onMenu={openPanel}
            onFirstMessage={keepAddress}
          />
        ) : (
          <ErrorBoundary key={route.page} fallback={<ReloadNote />}>
            <Suspense fallback={<main className="flex-1" />}>
              <OtherPage
                route={route}
                agents={agents}
                onMenu={openPanel}
                onGo={go}
                onTrial={setTrial}
                onLeave={askBeforeLeaving}
                onAgentsChange={reload}
              />
            </Suspense>
          </ErrorBoundary>
        )}
      </Drawer>
      <LinkGuard />
    </div>
  )
}

/** Sends the messages that this browser has kept, in all chats but the current one, which sends its own. */
function useSendKept(current: ChatId | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was kept is sent once, when the page is loaded; later each chat sends its own
  useEffect(() => {
    if (chatsWithKeptMessages().length === 0) return
    const loading = import('./outbox/send-kept.ts')
    // If it cannot be loaded, the server is away. Then nothing can be sent anyway.
    loading.then(kept => kept.sendKeptMessages(current)).catch(() => undefined)
  }, [])
}

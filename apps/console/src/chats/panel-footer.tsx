import { Bell, BellOff, Bot, Languages, SunMoon } from 'lucide-react'
import { PageLink } from '../navigation/page-link.tsx'
import type { Route } from '../navigation/route.ts'
import { canNotify } from '../settings/notifications.ts'
import { useSettings } from '../settings/settings.tsx'

/** The ways to the other pages and the settings, below the list of chats. */
export function PanelFooter({ onGo }: { readonly onGo: (route: Route) => void }) {
  const { words, notifies, toggleLanguage, toggleNotifications, toggleTheme } = useSettings()
  return (
    <footer className="flex gap-1 border-t border-line px-3 py-2 text-sm text-muted">
      <PageLink
        route={{ page: 'agents' }}
        onGo={onGo}
        className="flex items-center gap-1.5 rounded-lg px-2 py-1 hover:text-ink"
      >
        <Bot size={16} /> {words.agents}
      </PageLink>
      <button
        type="button"
        onClick={toggleTheme}
        aria-label={words.theme}
        title={words.theme}
        className="rounded-lg px-2 py-1 hover:text-ink"
      >
        <SunMoon size={16} />
      </button>
      {canNotify() && (
        <button
          type="button"
          onClick={toggleNotifications}
          aria-pressed={notifies}
          aria-label={words.notifications}
          title={words.notifications}
          className={`rounded-lg px-2 py-1 hover:text-ink ${notifies ? 'text-accent' : ''}`}
        >
          {notifies ? <Bell size={16} /> : <BellOff size={16} />}
        </button>
      )}
      <button
        type="button"
        onClick={toggleLanguage}
        className="ml-auto flex items-center gap-1.5 rounded-lg px-2 py-1 hover:text-ink"
      >
        <Languages size={16} /> {words.language}
      </button>
    </footer>
  )
}

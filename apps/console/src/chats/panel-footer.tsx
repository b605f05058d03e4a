import { Bell, BellOff, Languages, SunMoon } from 'lucide-react'
import { canNotify } from '../settings/notifications.ts'
import { useSettings } from '../settings/settings.tsx'

/** The settings of the page, below the list of chats. */
export function PanelFooter() {
  const { words, notifies, toggleLanguage, toggleNotifications, toggleTheme } = useSettings()
  return (
    <footer className="flex gap-1 border-t border-line px-3 py-2 text-sm text-muted">
      <button
        type="button"
        onClick={toggleTheme}
        className="flex items-center gap-1.5 rounded-lg px-2 py-1 hover:text-ink"
      >
        <SunMoon size={16} /> {words.theme}
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

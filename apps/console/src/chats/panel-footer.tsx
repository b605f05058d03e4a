import { Activity, Bot, Settings, SunMoon } from 'lucide-react'
import { PageLink } from '../navigation/page-link.tsx'
import type { Route } from '../navigation/route.ts'
import { useSettings } from '../settings/settings.tsx'
import { isDark } from '../settings/theme.ts'

const look =
  'flex items-center gap-1 rounded-lg px-1 py-1 hover:text-ink pointer-coarse:min-h-10 pointer-coarse:min-w-10'

/** The ways to the other pages, below the list of chats. */
export function PanelFooter({ onGo }: { readonly onGo: (route: Route) => void }) {
  const { words, setTheme } = useSettings()
  return (
    <footer className="flex flex-wrap items-center border-t border-line px-3 py-2 text-[13px] text-muted">
      <PageLink route={{ page: 'agents' }} onGo={onGo} className={look}>
        <Bot size={15} /> {words.agents}
      </PageLink>
      <PageLink route={{ page: 'settings' }} onGo={onGo} className={look}>
        <Settings size={15} /> {words.settings}
      </PageLink>
      <PageLink route={{ page: 'status' }} onGo={onGo} className={look}>
        <Activity size={15} /> {words.status}
      </PageLink>
      <button
        type="button"
        aria-label={words.theme}
        title={words.theme}
        onClick={() => setTheme(isDark() ? 'light' : 'dark')}
        className={`${look} ml-auto justify-center`}
      >
        <SunMoon size={16} />
      </button>
    </footer>
  )
}

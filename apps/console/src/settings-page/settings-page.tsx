import { Bell, BellOff, LogOut, Monitor, Moon, Sun, Trash2 } from 'lucide-react'
import { PageHeader } from '../navigation/page-header.tsx'
import { RadioGroup } from '../radio-group.tsx'
import { forgetBrowser, keptToken, signOut } from '../settings/access.ts'
import { canNotify } from '../settings/notifications.ts'
import { useSettings } from '../settings/settings.tsx'
import { Connections } from './connections.tsx'
import { Setting } from './setting.tsx'
import { useSettingsWords } from './settings-words.ts'

const themeIcons = { light: Sun, dark: Moon, system: Monitor }
const languages = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: '中文' },
] as const
const button =
  'flex h-10 items-center justify-center gap-2 rounded-xl border border-line bg-raised px-4 hover:border-accent max-sm:w-full'

interface Props {
  readonly onMenu: () => void
  /** The server at which the person has just signed in. */
  readonly connected?: string | undefined
}

/** The settings of this browser, the person's connections, and the way out. */
export function SettingsPage({ onMenu, connected }: Props) {
  const settings = useSettings()
  const words = useSettingsWords()
  const themes = (['light', 'dark', 'system'] as const).map(value => {
    return { value, label: words.themes[value], icon: themeIcons[value] }
  })
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={settings.words.settings} onMenu={onMenu} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl divide-y divide-line px-4 py-2 sm:px-6">
          <Setting title={words.theme} text={words.themeText}>
            <RadioGroup
              label={words.theme}
              options={themes}
              value={settings.theme}
              onChange={settings.setTheme}
            />
          </Setting>
          <Setting title={words.language}>
            <RadioGroup
              label={words.language}
              options={languages}
              value={settings.language}
              onChange={settings.setLanguage}
            />
          </Setting>
          <Connections connected={connected} />
          {canNotify() && <Notifications />}
          {keptToken() === null ? <Forget /> : <SignOut />}
        </div>
      </div>
    </main>
  )
}

function Notifications() {
  const { notifies, toggleNotifications } = useSettings()
  const words = useSettingsWords()
  const isDenied = Notification.permission === 'denied'
  return (
    <Setting
      title={words.notifications}
      text={isDenied ? words.notificationsDenied : words.notificationsText}
    >
      <button
        type="button"
        aria-pressed={notifies}
        onClick={toggleNotifications}
        className={`${button} ${notifies ? 'border-accent text-accent' : ''}`}
      >
        {notifies ? <Bell size={16} /> : <BellOff size={16} />}
        <span className="sr-only">{words.notifications}</span> {notifies ? words.on : words.off}
      </button>
    </Setting>
  )
}

function SignOut() {
  const words = useSettingsWords()
  return (
    <Setting title={words.account} text={words.signOutText}>
      <button type="button" onClick={signOut} className={`${button} text-danger`}>
        <LogOut size={16} /> {words.signOut}
      </button>
    </Setting>
  )
}

/** For a person without a token: there is nothing to sign out of. */
function Forget() {
  const words = useSettingsWords()
  return (
    <Setting title={words.browser} text={words.forgetText}>
      <button type="button" onClick={forgetBrowser} className={button}>
        <Trash2 size={16} /> {words.forget}
      </button>
    </Setting>
  )
}

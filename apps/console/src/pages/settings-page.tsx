import { type ConnectionBody, isConnectionsBody, isSignInAddress } from '@throughline/protocol/internal'
import { Bell, BellOff, Link2, LogOut, Monitor, Moon, Sun, Trash2, Unlink } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { RadioGroup } from '../controls/radio-group.tsx'
import { PageHeader } from '../navigation/page-header.tsx'
import { forgetBrowser, keptToken, signOut } from '../server/access.ts'
import { addressOf } from '../server/base-path.ts'
import { callServer, tellServer } from '../server/call-server.ts'
import { canNotify } from '../settings/notifications.ts'
import { useSettings } from '../settings/settings.tsx'
import { useOtherPagesWords } from '../words/other-pages/use-other-pages-words.ts'

const themeIcons = { light: Sun, dark: Moon, system: Monitor }
const languages = [
  { value: 'en', label: 'English' },
  { value: 'zh', label: '中文' },
] as const
const button =
  'flex h-10 items-center justify-center gap-2 rounded-xl border border-line bg-raised px-4 hover:border-accent disabled:opacity-40 max-sm:w-full'

interface Props {
  readonly onMenu: () => void
  /** The server at which the person has just signed in. */
  readonly connected?: string | undefined
}

/** The settings of this browser, the person's connections, and the way out. */
export function SettingsPage({ onMenu, connected }: Props) {
  const settings = useSettings()
  const words = useOtherPagesWords().settings
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
  const words = useOtherPagesWords().settings
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
  const words = useOtherPagesWords().settings
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
  const words = useOtherPagesWords().settings
  return (
    <Setting title={words.browser} text={words.forgetText}>
      <button type="button" onClick={forgetBrowser} className={button}>
        <Trash2 size={16} /> {words.forget}
      </button>
    </Setting>
  )
}

/** The services at which the person can sign in, so that agents use them in their name. Nothing where there are none. */
function Connections({ connected }: { readonly connected?: string | undefined }) {
  const words = useOtherPagesWords().settings
  const [connections, setConnections] = useState<readonly ConnectionBody[]>([])
  const [note, setNote] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async (work: () => Promise<string | undefined>) => {
    setIsBusy(true)
    setNote(await work().catch(textOf))
    setConnections(await listed().catch(() => connections))
    setIsBusy(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is opened
  useEffect(() => {
    void change(async () => {
      if (connected === undefined || !(await finish(connected))) return undefined
      return words.nowConnected(connected)
    })
  }, [])
  const connect = (name: string) =>
    change(async () => {
      location.assign(await beginSignIn(name))
      return undefined
    })
  const disconnect = (name: string) =>
    change(async () => {
      await tellServer('DELETE', pathOf(name))
      return undefined
    })
  if (connections.length === 0 && note === undefined) return null
  return (
    <Setting title={words.connections} text={words.connectionsText}>
      <p role="status" className="mb-2 text-sm text-muted">
        {note}
      </p>
      <ul className="space-y-3">
        {connections.map(({ name, status }) => (
          <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span className="min-w-0 flex-1 break-words">
              {name} <span className="block text-sm text-muted">{words.connectionStates[status]}</span>
            </span>
            {status !== 'signed-in' && (
              <button type="button" disabled={isBusy} onClick={() => connect(name)} className={button}>
                <Link2 size={16} /> {words.connect(name)}
              </button>
            )}
            {status !== 'signed-out' && (
              <button type="button" disabled={isBusy} onClick={() => disconnect(name)} className={button}>
                <Unlink size={16} /> {words.disconnect(name)}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Setting>
  )
}

async function listed(): Promise<readonly ConnectionBody[]> {
  return (await callServer(isConnectionsBody, 'GET', '/api/connections')).connections
}

async function beginSignIn(name: string): Promise<string> {
  const redirectUrl = location.origin + addressOf(`/connected/${encodeURIComponent(name)}`)
  return (await callServer(isSignInAddress, 'POST', `${pathOf(name)}/sign-in`, { redirectUrl })).address
}

/** Hands on what the authorization server added to the address. Returns false when there is nothing, or not any more. */
async function finish(name: string): Promise<boolean> {
  const given = new URLSearchParams(location.search)
  // A code is used once, and does not belong into the history of the browser.
  history.replaceState(null, '', addressOf('/settings'))
  const fields = ['state', 'code', 'iss', 'error'].flatMap(key => {
    const value = given.get(key)
    return value === null ? [] : [[key, value] as const]
  })
  if (!given.has('state')) return false
  await tellServer('POST', `${pathOf(decodeURIComponent(name))}/finish`, Object.fromEntries(fields))
  return true
}

function pathOf(name: string): string {
  return `/api/connections/${encodeURIComponent(name)}`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

interface SettingProps {
  readonly title: string
  readonly text?: string
  /** What changes the setting. */
  readonly children: ReactNode
}

/** One setting: what it is, what it does, and beside it (on a phone below it) what changes it. */
function Setting({ title, text, children }: SettingProps) {
  return (
    <section className="flex flex-col gap-3 py-5 sm:flex-row sm:items-center sm:justify-between sm:gap-8">
      <div className="min-w-0">
        <h2 className="font-medium">{title}</h2>
        {text !== undefined && <p className="mt-0.5 text-sm text-muted">{text}</p>}
      </div>
      <div className="shrink-0">{children}</div>
    </section>
  )
}

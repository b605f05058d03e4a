import { Link2, Unlink } from 'lucide-react'
import { useEffect, useState } from 'react'
import { addressOf } from '../base-path.ts'
import { callServer } from '../call-server.ts'
import { Setting } from './setting.tsx'
import { useSettingsWords } from './settings-words.ts'

type Status = 'signed-out' | 'signed-in' | 'needs-more'

interface Connection {
  readonly name: string
  readonly status: Status
}

const button =
  'flex h-10 items-center justify-center gap-2 rounded-xl border border-line bg-raised px-4 hover:border-accent disabled:opacity-40 max-sm:w-full'

/** The services at which the person can sign in, so that agents use them in their name. Nothing where there are none. */
export function Connections({ connected }: { readonly connected?: string | undefined }) {
  const words = useSettingsWords()
  const [connections, setConnections] = useState<readonly Connection[]>([])
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
      await callServer('DELETE', pathOf(name))
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

async function listed(): Promise<readonly Connection[]> {
  return (await callServer('GET', '/api/connections')).connections
}

async function beginSignIn(name: string): Promise<string> {
  const redirectUrl = location.origin + addressOf(`/connected/${encodeURIComponent(name)}`)
  return (await callServer('POST', `${pathOf(name)}/sign-in`, { redirectUrl })).address
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
  await callServer('POST', `${pathOf(decodeURIComponent(name))}/finish`, Object.fromEntries(fields))
  return true
}

function pathOf(name: string): string {
  return `/api/connections/${encodeURIComponent(name)}`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

import { asChatError, type ChatError } from '@throughline/client'
import { chatFrom, type Message, messagesOf } from '@throughline/protocol'
import { isSharedChat, type SharedChat } from '@throughline/protocol/internal'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { ErrorBoundary, ReloadNote } from '../controls/error-boundary.tsx'
import { LinkGuard } from '../links/link-guard.tsx'
import { groupAnswers } from '../messages/group-answers.ts'
import { MessageList } from '../messages/message-list.tsx'
import { addressOf, basePath } from '../server/base-path.ts'
import { callServer } from '../server/call-server.ts'
import { SettingsContext, useSettings } from '../settings/settings.tsx'
import { useThemeColour } from '../settings/theme.ts'
import { useLaterWords } from '../words/later/use-later-words.ts'

/** The page of a link: the copy of a chat that somebody shares. Whoever has the link sees it without signing in. */
export function SharedPage() {
  useThemeColour()
  const words = useLaterWords().sharedPage
  const [, , key = ''] = location.pathname.slice(basePath.length).split('/')
  const [state, again] = useSharedChat(key)
  switch (state.type) {
    case 'loading':
      return <main aria-busy="true" />
    case 'loaded':
      return <Copy chat={state.chat} />
    case 'unknown':
      return (
        <Note title={words.unknown}>
          <p>{words.unknownText}</p>
          <StartLink />
        </Note>
      )
    case 'failed':
      return (
        <Note title={words.failed}>
          <button
            type="button"
            onClick={again}
            className="min-h-10 rounded-full border border-line bg-raised px-5 text-ink hover:border-accent"
          >
            {words.again}
          </button>
        </Note>
      )
  }
}

function Copy({ chat: { title, sharedAt, messages } }: { readonly chat: SharedChat }) {
  const settings = useSettings()
  const words = useLaterWords().sharedPage
  const heading = title || settings.words.untitled
  useTitle(heading)
  // Who reads this is not the person who has written the messages.
  const told = useMemo(
    () => ({ ...settings, words: { ...settings.words, you: words.person } }),
    [settings, words],
  )
  const date = new Intl.DateTimeFormat(settings.language, { dateStyle: 'long' }).format(new Date(sharedAt))
  return (
    <div className="flex h-full flex-col">
      <header className="flex items-center gap-3 border-b border-line px-4 py-2.5">
        <img src={addressOf('/icon.svg')} alt="" className="size-7" />
        <div className="min-w-0 flex-1">
          <h1 className="truncate font-medium">{heading}</h1>
          <p className="text-sm text-muted">{words.sharedOn(date)}</p>
        </div>
        <StartLink />
      </header>
      <main
        aria-label={settings.words.messages}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 -outline-offset-2"
      >
        <ErrorBoundary fallback={<ReloadNote />}>
          <SettingsContext value={told}>
            <SharedMessages messages={messages} />
          </SettingsContext>
        </ErrorBoundary>
      </main>
      <LinkGuard />
    </div>
  )
}

/** Says why there is nothing to read. */
function Note({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title)
  return (
    <main className="grid h-full place-content-center justify-items-center gap-3 p-6 text-center text-muted">
      <img src={addressOf('/icon.svg')} alt="" className="mb-2 size-10" />
      <h1 className="text-xl font-semibold text-ink">{title}</h1>
      {children}
    </main>
  )
}

function StartLink() {
  return (
    <a href={addressOf('/')} className="shrink-0 py-2 text-accent underline">
      {useLaterWords().sharedPage.startPage}
    </a>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Throughline`
  }, [title])
}

const groupsPerFrame = 40
const noAgents: readonly never[] = []
const noVersions: ReadonlyMap<string, readonly string[]> = new Map()
const noFailures: ReadonlyMap<string, ChatError> = new Map()

/**
 * The messages of a shared chat, drawn as the chat draws them. Nothing can be sent, changed or decided here. The first ones
 * are drawn at once, and more with every animation frame: so a long chat does not block the page.
 */
function SharedMessages({ messages }: { readonly messages: readonly Message[] }) {
  const groups = useMemo(() => groupAnswers({ messages, versions: noVersions }, []), [messages])
  const [count, setCount] = useState(groupsPerFrame)
  useEffect(() => {
    if (count >= groups.length) return
    const frame = requestAnimationFrame(() => setCount(count + groupsPerFrame))
    return () => cancelAnimationFrame(frame)
  }, [count, groups])
  return (
    <div
      data-busy=""
      className="messages mx-auto flex max-w-3xl flex-col gap-3 [&_.quiet]:hidden [&_[role=alertdialog]_button]:hidden"
    >
      <MessageList
        groups={groups.slice(0, count)}
        offset={0}
        agents={noAgents}
        selectedAgent={undefined}
        unsent={noFailures}
        // As where a person writes in place of the agent, no agent is asked to go on.
        isReplying
      />
    </div>
  )
}

type SharedState =
  | { readonly type: 'loading' | 'failed' | 'unknown' }
  | { readonly type: 'loaded'; readonly chat: SharedChat }

/** Loads the copy that a key opens. Returns it, and a function that tries again. */
function useSharedChat(key: string): readonly [SharedState, () => void] {
  const [state, setState] = useState<SharedState>({ type: 'loading' })
  const load = useCallback(() => {
    setState({ type: 'loading' })
    callServer(isSharedChat, 'GET', `/api/shared/${encodeURIComponent(key)}`).then(
      chat => setState({ type: 'loaded', chat: readable(chat) }),
      error => setState({ type: isUnknown(asChatError(error).code) ? 'unknown' : 'failed' }),
    )
  }, [key])
  useEffect(load, [load])
  return [state, load]
}

/** Returns the copy with a placeholder for each part that cannot be read. */
function readable(chat: SharedChat): SharedChat {
  return { ...chat, messages: messagesOf(chatFrom(chat.messages, 0)) }
}

/** When the server does not offer sharing, or has no such address, the link leads nowhere too. */
function isUnknown(code: string): boolean {
  return ['share-not-found', 'sharing-off', 'route-not-found'].includes(code)
}

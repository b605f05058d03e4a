import { type ReactNode, useEffect, useMemo } from 'react'
import { addressOf, basePath } from '../base-path.ts'
import { ErrorBoundary } from '../error-boundary.tsx'
import { LinkGuard } from '../links/link-guard.tsx'
import { useThemeColour } from '../navigation/use-theme-colour.ts'
import { ReloadNote } from '../reload-note.tsx'
import { SettingsContext, useSettings } from '../settings/settings.tsx'
import { SharedMessages } from './shared-messages.tsx'
import { useSharedWords } from './shared-words.ts'
import { type SharedChat, useSharedChat } from './use-shared-chat.ts'

/** The page of a link: the copy of a chat that somebody shares. Whoever has the link sees it without signing in. */
export function SharedPage() {
  useThemeColour()
  const words = useSharedWords()
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
  const words = useSharedWords()
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
      {useSharedWords().startPage}
    </a>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Throughline`
  }, [title])
}

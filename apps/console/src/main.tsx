import { lazy, StrictMode, Suspense, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { addressOf } from './base-path.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { ReloadNote } from './reload-note.tsx'
import { loadFirstWords, type Spoken } from './settings/load-words.ts'
import { SettingsProvider } from './settings/settings.tsx'
import { SignedIn } from './signed-in.tsx'
import './styles.css'

// A script of its own. Who opens a link need not be signed in, and sees nothing but what is shared.
const SharedPage = lazy(async () => ({ default: (await import('./shared-chat/shared-page.tsx')).SharedPage }))

const page = document.getElementById('page')
if (page !== null) loadFirstWords().then(first => draw(page, first))

function draw(page: HTMLElement, first: Spoken): void {
  const root = createRoot(page)
  const whole = (
    <StrictMode>
      <SettingsProvider first={first}>
        {location.pathname.startsWith(addressOf('/shared/')) ? (
          <ErrorBoundary fallback={<ReloadNote />}>
            <Suspense>
              <SharedPage />
            </Suspense>
          </ErrorBoundary>
        ) : (
          <SignedIn>
            <ErrorBoundary fallback={<ReloadNote />}>
              <App />
            </ErrorBoundary>
          </SignedIn>
        )}
      </SettingsProvider>
    </StrictMode>
  )
  // A transition, because React draws it in short tasks. Without it, the first drawing of the page is a long one.
  startTransition(() => root.render(whole))
}

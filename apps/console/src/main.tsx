import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { ReloadNote } from './reload-note.tsx'
import { loadFirstWords, type Spoken } from './settings/load-words.ts'
import { SettingsProvider } from './settings/settings.tsx'
import { SignedIn } from './signed-in.tsx'
import './styles.css'

const page = document.getElementById('page')
if (page !== null) loadFirstWords().then(first => draw(page, first))

function draw(page: HTMLElement, first: Spoken): void {
  createRoot(page).render(
    <StrictMode>
      <SettingsProvider first={first}>
        <SignedIn>
          <ErrorBoundary fallback={<ReloadNote />}>
            <App />
          </ErrorBoundary>
        </SignedIn>
      </SettingsProvider>
    </StrictMode>,
  )
}

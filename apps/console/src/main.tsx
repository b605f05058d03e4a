// First, so that the code of the page stays together in its script, behind the libraries: it is smaller then.
import 'markdown-it'
import {
  Fragment,
  lazy,
  type ReactNode,
  StrictMode,
  Suspense,
  startTransition,
  useEffect,
  useState,
} from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { DraftFiles, DraftFilesProvider } from './compose/draft-files.ts'
import { ErrorBoundary, ReloadNote } from './controls/error-boundary.tsx'
import { addressOf } from './server/base-path.ts'
import { loadFirstWords, SettingsProvider, type Spoken } from './settings/settings.tsx'
import './styles.css'
import { forgetPerson, keptToken, onAccess, type SignInReason } from './server/access.ts'

// Scripts of their own. Who opens a link need not be signed in, and sees nothing but what is shared.
const SharedPage = lazy(async () => ({ default: (await import('./pages/shared-page.tsx')).SharedPage }))
const SignInScreen = lazy(async () => ({
  default: (await import('./pages/sign-in-screen.tsx')).SignInScreen,
}))

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
          // Outside of `SignedIn`, so that a draft has its files after the person has signed in again.
          <DraftFilesProvider value={new DraftFiles()}>
            <SignedIn>
              <ErrorBoundary fallback={<ReloadNote />}>
                <App />
              </ErrorBoundary>
            </SignedIn>
          </DraftFilesProvider>
        )}
      </SettingsProvider>
    </StrictMode>
  )
  // A transition, because React draws it in short tasks. Without it, the first drawing of the page is a long one.
  startTransition(() => root.render(whole))
}

/** Says to the page that is loaded next that the person has signed out. */
const leftKey = 'throughline.left'

/** Shows the page, or the sign-in screen when the server does not know the person. */
function SignedIn({ children }: { readonly children: ReactNode }) {
  const [reason, setReason] = useState<SignInReason | 'leaving' | 'forgetting' | undefined>(() =>
    sessionStorage.getItem(leftKey) === null ? undefined : 'left',
  )
  // Each person gets a new page: nothing of the person before is in its memory.
  const [visit, setVisit] = useState(0)
  useEffect(
    () =>
      onAccess(event => {
        if (event.type === 'forgotten') setReason('forgetting')
        else if (event.type === 'signed-in') {
          setReason(undefined)
          setVisit(count => count + 1)
        } else if (event.reason === 'left') {
          // This tab may hear of it late, when somebody else has signed in already.
          if (keptToken() === null) setReason('leaving')
        } else {
          // Several requests are refused together. The first one says why.
          setReason(known => known ?? event.reason)
        }
      }),
    [],
  )
  useEffect(() => sessionStorage.removeItem(leftKey), [])
  useEffect(() => {
    if (reason === 'leaving' || reason === 'forgetting') startAfresh(reason === 'leaving')
  }, [reason])
  if (reason === undefined) return <Fragment key={visit}>{children}</Fragment>
  if (reason === 'leaving' || reason === 'forgetting') return null
  return (
    <ErrorBoundary fallback={<ReloadNote />}>
      <Suspense>
        <SignInScreen reason={reason} />
      </Suspense>
    </ErrorBoundary>
  )
}

/**
 * Forgets the person. What the page has shown is gone by now, so it writes nothing more into the storage. Loads the page
 * again: then nothing of the person is left in its memory either, and nothing that it was sending is sent for the next
 * person.
 */
function startAfresh(hasSignedOut: boolean): void {
  forgetPerson()
  if (hasSignedOut) sessionStorage.setItem(leftKey, 'yes')
  location.reload()
}

import { Fragment, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import { ReloadNote } from './reload-note.tsx'
import { keptToken, onAccess, type SignInReason } from './settings/access.ts'
import { forgetPerson } from './settings/forget-person.ts'

const SignInScreen = lazy(async () => ({
  default: (await import('./sign-in/sign-in-screen.tsx')).SignInScreen,
}))

/** Says to the page that is loaded next that the person has signed out. */
const leftKey = 'throughline.left'

/** Shows the page, or the sign-in screen when the server does not know the person. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
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

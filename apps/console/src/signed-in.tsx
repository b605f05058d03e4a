import { Fragment, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import { onAccess, type SignInReason } from './settings/access.ts'
import { forgetPerson } from './settings/forget-person.ts'
import { useWords } from './settings/settings.tsx'

const SignInScreen = lazy(async () => ({
  default: (await import('./sign-in/sign-in-screen.tsx')).SignInScreen,
}))

/** Shows the page, or the sign-in screen when the server does not know the person. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const words = useWords()
  const [reason, setReason] = useState<SignInReason>()
  // Each person gets a new page: nothing of the person before is in its memory.
  const [visit, setVisit] = useState(0)
  useEffect(
    () =>
      onAccess(event => {
        if (event.type === 'refused') {
          // Several requests are refused together. The first one says why.
          setReason(known => (event.reason === 'left' ? 'left' : (known ?? event.reason)))
        } else {
          setReason(undefined)
          setVisit(count => count + 1)
        }
      }),
    [],
  )
  // The page is gone by now, so it writes nothing more into the storage.
  useEffect(() => {
    if (reason === 'left') forgetPerson()
  }, [reason])
  if (reason === undefined) return <Fragment key={visit}>{children}</Fragment>
  return (
    <ErrorBoundary fallback={<p className="p-6 text-danger">{words.renderFailed}</p>}>
      <Suspense>
        <SignInScreen reason={reason} />
      </Suspense>
    </ErrorBoundary>
  )
}

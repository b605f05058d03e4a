import { useEffect } from 'react'
import { addressOf } from '../base-path.ts'
import type { SignInReason } from '../settings/access.ts'
import { useSignInWords } from './sign-in-words.ts'
import { TokenForm } from './token-form.tsx'

/** The whole window, for a person whom the server does not know. Says why, and what to do. */
export function SignInScreen({ reason }: { readonly reason: SignInReason }) {
  const words = useSignInWords()
  // It named the chat that was open.
  useEffect(() => {
    document.title = `${words.titles[reason]} · Throughline`
  }, [words, reason])
  return (
    <main className="flex min-h-full items-center justify-center p-6">
      <div className="w-full max-w-sm text-center">
        <img src={addressOf('/icon.svg')} alt="" className="mx-auto size-12" />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">{words.titles[reason]}</h1>
        <p className="mt-1.5 text-muted">{words.texts[reason]}</p>
        {reason === 'application' ? (
          <button
            type="button"
            onClick={() => location.reload()}
            className="mt-5 h-11 w-full rounded-xl bg-accent font-medium text-page"
          >
            {words.reload}
          </button>
        ) : (
          <TokenForm />
        )}
      </div>
    </main>
  )
}

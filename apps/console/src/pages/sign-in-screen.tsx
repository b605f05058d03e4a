import { useActionState, useEffect } from 'react'
import { type SignInReason, signIn } from '../server/access.ts'
import { addressOf } from '../server/base-path.ts'
import { useLaterWords } from '../words/later/use-later-words.ts'

/** The whole window, for a person whom the server does not know. Says why, and what to do. */
export function SignInScreen({ reason }: { readonly reason: SignInReason }) {
  const words = useLaterWords().signIn
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

/** The field for the token. A token that the server knows is kept, and the page goes on where it was. */
function TokenForm() {
  const words = useLaterWords().signIn
  const [problem, submit, isChecking] = useActionState(async (_: unknown, form: FormData) => {
    const token = String(form.get('token') ?? '').trim()
    const outcome = await checkToken(token)
    if (outcome !== 'known') return outcome
    signIn(token)
    return undefined
  }, undefined)
  return (
    <form action={submit} className="mt-5 space-y-3 text-left">
      {/* Password managers keep a password together with a user name. */}
      <input type="text" name="username" autoComplete="username" value="Throughline" readOnly hidden />
      <label className="block text-sm font-medium">
        {words.token}
        <input
          name="token"
          type="password"
          autoComplete="current-password"
          required
          // biome-ignore lint/a11y/noAutofocus: it is the only thing to do on this screen.
          autoFocus
          aria-invalid={problem === 'wrong'}
          aria-describedby={problem === undefined ? undefined : 'sign-in-problem'}
          className="mt-1 block h-11 w-full rounded-xl border border-line bg-raised px-3.5 text-base font-normal"
        />
      </label>
      {problem !== undefined && !isChecking && (
        <p id="sign-in-problem" role="alert" className="text-sm text-danger">
          {problem === 'wrong' ? words.wrong : words.unchecked}
        </p>
      )}
      <button
        type="submit"
        disabled={isChecking}
        className="h-11 w-full rounded-xl bg-accent font-medium text-page disabled:opacity-60"
      >
        {isChecking ? words.checking : words.signIn}
      </button>
    </form>
  )
}

/** Asks the server whether it knows a token. Not through `serverFetch`: a wrong one is said beside its field. */
async function checkToken(token: string): Promise<'known' | 'wrong' | 'unchecked'> {
  // No header can carry other characters, and no token has a space.
  if (!/^[\x21-\x7e]+$/.test(token)) return 'wrong'
  try {
    const headers = { authorization: `Bearer ${token}` }
    const { ok, status } = await fetch(addressOf('/api/agents'), { headers })
    return ok ? 'known' : status === 401 ? 'wrong' : 'unchecked'
  } catch {
    return 'unchecked'
  }
}

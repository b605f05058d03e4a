import { useActionState } from 'react'
import { signIn } from '../settings/access.ts'
import { checkToken } from './check-token.ts'
import { useSignInWords } from './sign-in-words.ts'

/** The field for the token. A token that the server knows is kept, and the page goes on where it was. */
export function TokenForm() {
  const words = useSignInWords()
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

import type { ChatError } from '@throughline/client'
import { CircleAlert } from 'lucide-react'
import { keepToken } from '../settings/access.ts'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly error: ChatError
  readonly onRetry: () => void
}

/** Says why the chat cannot be loaded, and what to do. */
export function LoadFailed({ error, onRetry }: Props) {
  const words = useWords()
  return (
    <section role="alert" className="m-auto max-w-md p-6 text-center">
      <CircleAlert size={28} className="mx-auto text-danger" />
      <h1 className="mt-3 text-lg font-semibold">
        {error.status === 401 ? words.tokenNeeded : words.loadFailed}
      </h1>
      {error.status === 401 ? (
        <TokenForm />
      ) : (
        <>
          <p className="mt-1 text-muted">{error.message}</p>
          <button
            type="button"
            onClick={onRetry}
            className="mt-4 rounded-full bg-accent px-4 py-1.5 text-page"
          >
            {words.retry}
          </button>
        </>
      )}
    </section>
  )
}

function TokenForm() {
  const words = useWords()
  return (
    <form
      action={(form: FormData) => {
        keepToken(String(form.get('token') ?? ''))
        location.reload()
      }}
      className="mt-4 flex gap-2"
    >
      <input
        name="token"
        type="password"
        required
        aria-label={words.token}
        placeholder={words.token}
        className="min-w-0 flex-1 rounded-full border border-line bg-raised px-4 py-1.5"
      />
      <button type="submit" className="rounded-full bg-accent px-4 py-1.5 text-page">
        {words.useToken}
      </button>
    </form>
  )
}

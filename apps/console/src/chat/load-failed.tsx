import type { ChatError } from '@throughline/client'
import { CircleAlert } from 'lucide-react'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly error: ChatError
  readonly onRetry: () => void
}

/** Says why the chat cannot be loaded, and offers to try again. */
export function LoadFailed({ error, onRetry }: Props) {
  const words = useWords()
  return (
    <section role="alert" className="m-auto max-w-md p-6 text-center">
      <CircleAlert size={28} className="mx-auto text-danger" />
      <h2 className="mt-3 text-lg font-semibold">{words.loadFailed}</h2>
      <p className="mt-1 text-muted">
        <ErrorText error={error} />
      </p>
      <button type="button" onClick={onRetry} className="mt-4 rounded-full bg-accent px-4 py-1.5 text-page">
        {words.retry}
      </button>
    </section>
  )
}

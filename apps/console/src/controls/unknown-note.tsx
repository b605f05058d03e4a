import { addressOf } from '../server/base-path.ts'
import { useWords } from '../settings/settings.tsx'

/** Says that there is nothing at this address, and leads to a new chat. */
export function UnknownNote({ text }: { readonly text: string }) {
  const words = useWords()
  return (
    <p className="m-auto max-w-md p-6 text-center text-muted">
      {text}{' '}
      <a href={addressOf('/')} className="text-accent underline">
        {words.newChat}
      </a>
    </p>
  )
}

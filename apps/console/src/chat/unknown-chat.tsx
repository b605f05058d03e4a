import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'

/** For the address of a chat that does not exist, or that belongs to somebody else. */
export function UnknownChat() {
  const words = useWords()
  return (
    <p className="m-auto max-w-md p-6 text-center text-muted">
      {words.unknownChatText}{' '}
      <a href={addressOf('/')} className="text-accent underline">
        {words.newChat}
      </a>
    </p>
  )
}

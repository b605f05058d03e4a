import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'

/** For the address of a chat that does not exist, or that belongs to somebody else. */
export function UnknownChat() {
  const words = useWords()
  return (
    <section className="m-auto max-w-md p-6 text-center">
      <h2 className="text-lg font-semibold">{words.unknownChat}</h2>
      <p className="mt-1 text-muted">{words.unknownChatText}</p>
      <a href={addressOf('/')} className="mt-4 inline-block rounded-full bg-accent px-4 py-1.5 text-page">
        {words.newChat}
      </a>
    </section>
  )
}

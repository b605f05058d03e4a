import type { ChatError } from '@throughline/client'
import type { AgentChat } from '@throughline/client/react'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'

/** One line above the chat that says what is wrong with it. */
export function Notices({ chat }: { readonly chat: Pick<AgentChat, 'connection' | 'error' | 'resume'> }) {
  const words = useWords()
  const { connection, error, resume } = chat
  const [closed, setClosed] = useState<ChatError>()
  const isLost = connection === 'lost'
  if (isLost)
    return (
      // An error that no retry can mend is shown with its own message. Only the person can then try again.
      <Notice text={error === undefined ? words.lost : <ErrorText error={error} />}>
        <button type="button" onClick={resume} className="ml-2 font-semibold underline underline-offset-2">
          {words.retryNow}
        </button>
      </Notice>
    )
  if (error === undefined || error === closed) return null
  return (
    <Notice text={<ErrorText error={error} />}>
      <button
        type="button"
        aria-label={words.dismiss}
        onClick={() => setClosed(error)}
        className="ml-2 rounded p-0.5 align-middle hover:text-ink"
      >
        <X size={14} />
      </button>
    </Notice>
  )
}

function Notice({ text, children }: { readonly text: ReactNode; readonly children: ReactNode }) {
  return (
    <p role="status" className="border-b border-line bg-panel px-4 py-1.5 text-center text-sm text-warning">
      {text}
      {children}
    </p>
  )
}

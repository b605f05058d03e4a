import { useState } from 'react'
import { useChatActions } from '../chat/chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { ValueView } from './value-view.tsx'

/** A tool call that waits for the person: exactly what it would do, and the two answers. */
export function Approval({ id, input }: { readonly id: string; readonly input: unknown }) {
  const words = useWords()
  const { approve } = useChatActions()
  const [isSent, setIsSent] = useState(false)
  const answer = async (approved: boolean) => {
    setIsSent(true)
    await approve(id, approved)
    // When it went through, the log brings the next state and this card is gone.
    setIsSent(false)
  }
  return (
    <div
      role="alertdialog"
      aria-label={words.approvalNeeded}
      className="space-y-2.5 border-t border-line px-3 py-2.5"
    >
      <p className="font-medium">{words.approvalNeeded}</p>
      <ValueView label={words.input} value={input} />
      <div className="flex gap-2">
        <button
          type="button"
          disabled={isSent}
          onClick={() => answer(true)}
          className="rounded-full bg-accent px-4 py-1 text-page disabled:opacity-40"
        >
          {words.approve}
        </button>
        <button
          type="button"
          disabled={isSent}
          onClick={() => answer(false)}
          className="rounded-full border border-line px-4 py-1 hover:border-danger hover:text-danger disabled:opacity-40"
        >
          {words.deny}
        </button>
      </div>
    </div>
  )
}

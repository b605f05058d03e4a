import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import { useChatActions } from './chat-actions.tsx'
import { ValueView } from './value-view.tsx'

/** A tool call that waits for approval: its complete input, and two buttons to decide. */
export function ApprovalForm({ id, input }: { readonly id: string; readonly input: unknown }) {
  const words = useWords()
  const { approve } = useChatActions()
  const [isSent, setIsSent] = useState(false)
  const decide = async (approved: boolean) => {
    setIsSent(true)
    await approve(id, approved)
    // If the decision was taken, the log brings the next state of the call, and these buttons are gone.
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
          onClick={() => decide(true)}
          className="rounded-full bg-accent px-4 py-1 text-page disabled:opacity-40"
        >
          {words.approve}
        </button>
        <button
          type="button"
          disabled={isSent}
          onClick={() => decide(false)}
          className="rounded-full border border-line px-4 py-1 hover:border-danger hover:text-danger disabled:opacity-40"
        >
          {words.deny}
        </button>
      </div>
    </div>
  )
}

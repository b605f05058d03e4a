import type { ChatId } from '@throughline/protocol'
import { createPortal, flushSync } from 'react-dom'
import { useWords } from '../settings/settings.tsx'
import { Toast } from './toast.tsx'
import type { Removal } from './use-removal.ts'

interface Props {
  readonly removal: Removal
  /** Whether something has just failed. */
  readonly hasFailed: boolean
  /** Called with the chat that was brought back. */
  readonly onUndo: (chatId: ChatId) => void
}

/** Says that a chat is removed and offers to undo it, or says that something did not work. */
export function RemovalToast({ removal, hasFailed, onUndo }: Props) {
  const words = useWords()
  const { pending, undo, hold } = removal
  if (pending === undefined && !hasFailed) return undefined
  const bringBack = (chatId: ChatId) => {
    // Draws at once: the button that has the focus goes, and the row of the chat gets it.
    flushSync(() => {
      undo()
      onUndo(chatId)
    })
    document.querySelector<HTMLElement>('[data-chat-link][aria-current=page]')?.focus()
  }
  const toast =
    pending === undefined ? (
      <Toast>{words.changeFailed}</Toast>
    ) : (
      <Toast action={{ label: words.undo, onChoose: () => bringBack(pending.id) }} onHold={hold}>
        {words.removed(pending.title || words.untitled)}
      </Toast>
    )
  // Outside of the panel, which moves out of the window on a phone.
  return createPortal(toast, document.body)
}

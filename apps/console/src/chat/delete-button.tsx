import type { Message } from '@throughline/protocol'
import { Trash2 } from 'lucide-react'
import { useChatActions } from '../chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { ActionButton } from './action-button.tsx'

/** A button that deletes a message, and what belongs to it, after the person has confirmed it. */
export function DeleteButton({ message: { id, role } }: { readonly message: Pick<Message, 'id' | 'role'> }) {
  const words = useWords()
  const { deleteMessage } = useChatActions()
  const question = role === 'user' ? words.confirmDeleteMessage : words.confirmDeleteAnswer
  return (
    <ActionButton
      icon={Trash2}
      label={words.remove}
      onClick={() => {
        if (confirm(question)) deleteMessage(id)
      }}
    />
  )
}

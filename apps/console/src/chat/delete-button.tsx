import type { Message } from '@throughline/protocol/message'
import { Trash2 } from 'lucide-react'
import { useWords } from '../settings/settings.tsx'
import { ActionButton } from './action-button.tsx'
import { useChatActions } from './chat-actions.tsx'

/** Deletes a message, once the person has said that they mean it: what belongs to it goes with it. */
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

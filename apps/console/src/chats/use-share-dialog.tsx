import type { ListedChat } from '@throughline/protocol'
import { type ComponentType, type ReactNode, useState } from 'react'

/** The chat that is being shared, and the dialog for it, which is loaded when it is first needed. */
interface SharedRow {
  readonly chat: ListedChat
  readonly Dialog: ComponentType<{ readonly chat: ListedChat; readonly onClose: () => void }>
}

interface ShareDialog {
  /** Opens the dialog for a chat. Rejects when its script cannot be loaded. */
  share(chat: ListedChat): Promise<void>
  /** What to draw: the open dialog, or nothing. */
  readonly dialog: ReactNode
}

/** Returns the dialog that shares a chat of the list. */
export function useShareDialog(): ShareDialog {
  const [shared, setShared] = useState<SharedRow>()
  return {
    async share(chat) {
      const { ShareDialog: Dialog } = await import('../share/share-dialog.tsx')
      setShared({ chat, Dialog })
    },
    dialog: shared && <shared.Dialog chat={shared.chat} onClose={() => setShared(undefined)} />,
  }
}

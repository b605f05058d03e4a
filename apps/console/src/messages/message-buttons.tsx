import type { Message } from '@throughline/protocol'
import { ChevronLeft, ChevronRight, Trash2 } from 'lucide-react'
import { type ComponentProps, type ReactNode, useContext } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { NearContext } from '../off-screen/near-context.ts'
import { useChatActions } from '../parts/chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'

/**
 * Visible while its message has the pointer or the focus. Always visible on touch screens and on small screens. Empty in
 * messages that are far from the screen.
 */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return <span className="quiet flex items-center">{useContext(NearContext) && children}</span>
}

/**
 * Visible only while a message can be sent. CSS decides that by an attribute of its section (see message-list.tsx), so that
 * no message has to be drawn again when an answer begins or ends.
 */
export function WhenReady({ children }: { readonly children: ReactNode }) {
  return <span className="when-ready flex">{children}</span>
}

const look =
  'size-7 rounded-lg text-muted -outline-offset-2 hover:bg-panel hover:text-ink aria-disabled:cursor-default aria-disabled:bg-transparent aria-disabled:text-muted aria-disabled:*:opacity-35 pointer-coarse:size-10'

/** One of the small buttons below a message. */
export function MessageButton(props: Omit<ComponentProps<typeof IconButton>, 'className' | 'iconPx'>) {
  return <IconButton {...props} className={look} iconPx={15} />
}

/** A button that deletes a message, and what belongs to it, after the person has confirmed it. */
export function DeleteButton({ message: { id, role } }: { readonly message: Pick<Message, 'id' | 'role'> }) {
  const words = useWords()
  const { deleteMessage } = useChatActions()
  const question = role === 'user' ? words.confirmDeleteMessage : words.confirmDeleteAnswer
  return (
    <MessageButton
      icon={Trash2}
      label={words.remove}
      onClick={() => {
        if (confirm(question)) deleteMessage(id)
      }}
    />
  )
}

interface VersionProps {
  readonly messageId: string
  /** The ids of all versions, oldest first. */
  readonly versions: readonly string[]
}

/** Shows the number of a message's version, and buttons to the other versions. */
export function VersionSwitch({ messageId, versions }: VersionProps) {
  const words = useWords()
  const { showVersion } = useChatActions()
  const place = versions.indexOf(messageId)
  if (place === -1 || versions.length < 2) return null
  const earlier = versions[place - 1]
  const later = versions[place + 1]
  return (
    <fieldset aria-label={words.version(place + 1, versions.length)} className="flex items-center">
      <MessageButton
        icon={ChevronLeft}
        label={words.earlierVersion}
        isOff={earlier === undefined}
        onClick={() => earlier !== undefined && showVersion(earlier)}
      />
      <span className="min-w-7 text-center text-xs text-muted tabular-nums">
        {place + 1}/{versions.length}
      </span>
      <MessageButton
        icon={ChevronRight}
        label={words.laterVersion}
        isOff={later === undefined}
        onClick={() => later !== undefined && showVersion(later)}
      />
    </fieldset>
  )
}

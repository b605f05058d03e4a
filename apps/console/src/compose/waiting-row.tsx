import type { Message } from '@throughline/client'
import { isFilePart, textOf } from '@throughline/protocol'
import { FastForward, Paperclip, Pencil, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import { IconButton } from '../icon-button.tsx'
import { useComposeWords } from './compose-words.ts'
import { type Saved, WaitingEditor } from './waiting-editor.tsx'

interface Props {
  readonly message: Message
  readonly isFirst: boolean
  /** Whether it is on its way to the queue of the server. */
  readonly isSending: boolean
  readonly isEdited: boolean
  /** Called with the message that is to be edited; with nothing when that is over. */
  readonly onEdit: (message: Message | undefined) => void
  readonly onSave: (message: Message, text: string) => Promise<Saved>
  /** Gets what was typed and not saved, when the row goes away. */
  readonly onLeft: (text: string) => void
  readonly onRemove: () => void
  readonly onAnswerNow: () => void
}

const look = 'size-8 rounded-lg text-muted hover:bg-panel hover:text-ink pointer-coarse:size-10'

/** A message that waits, with its buttons, or the field in which it is edited. */
export function WaitingRow({ message, isFirst, isSending, isEdited, onEdit, onSave, onLeft, ...on }: Props) {
  const words = useComposeWords()
  const editButton = useRef<HTMLButtonElement>(null)
  const close = (isMoved: boolean) => {
    // Draws at once, because the button that gets the focus back must be on the page.
    flushSync(() => onEdit(undefined))
    if (!isMoved) editButton.current?.focus()
  }
  if (isEdited) {
    return (
      <li data-waiting className="flex py-0.5">
        <WaitingEditor
          message={message}
          isSending={isSending}
          onSave={text => onSave(message, text)}
          onClose={close}
          onLeft={onLeft}
        />
      </li>
    )
  }
  return (
    <li data-waiting className="flex items-center gap-1 rounded-xl pl-2 hover:bg-raised">
      <Summary message={message} isSending={isSending} />
      {isFirst && (
        <IconButton
          icon={FastForward}
          label={words.answerNow}
          onClick={on.onAnswerNow}
          className={look}
          iconPx={15}
        />
      )}
      <IconButton
        ref={editButton}
        icon={Pencil}
        label={words.edit}
        onClick={() => onEdit(message)}
        className={look}
        iconPx={15}
      />
      <IconButton icon={Trash2} label={words.remove} onClick={on.onRemove} className={look} iconPx={15} />
    </li>
  )
}

function Summary({ message, isSending }: { readonly message: Message; readonly isSending: boolean }) {
  const words = useComposeWords()
  const files = message.parts.filter(isFilePart).length
  return (
    <span className="min-w-0 flex-1 truncate py-1.5">
      {textOf(message)}
      {files > 0 && (
        <span className="ml-2 inline-flex items-center gap-1 text-muted">
          <Paperclip size={12} /> {words.files(files)}
        </span>
      )}
      {isSending && <span className="ml-2 text-xs text-muted">{words.sending}</span>}
    </span>
  )
}

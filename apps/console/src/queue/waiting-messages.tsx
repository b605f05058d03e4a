import type { ChatError, Message } from '@throughline/client'
import { type ChatId, isFilePart, textOf } from '@throughline/protocol'
import { Clock, FastForward, Paperclip, Pencil, Trash2, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { IconButton } from '../controls/icon-button.tsx'
import { TextEditor } from '../controls/text-editor.tsx'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'
import { type ChatActivity, useQueue } from './use-queue.ts'

interface Props {
  readonly chatId: ChatId
  readonly chat: ChatActivity
  /** The message that was put into the queue last, by this page. */
  readonly lastQueued: Message | undefined
  /** Puts a message back into the field. */
  readonly onTakeBack: (message: Message) => void
  /** Puts a text back into the field. */
  readonly onTakeBackText: (text: string) => void
}

/** The messages that wait for the end of the answer, above the field. Each can be edited and removed until its turn. */
export function WaitingMessages({ chatId, chat, lastQueued, onTakeBack, onTakeBackText }: Props) {
  const words = useLaterWords().compose
  const queue = useQueue(chatId, chat, lastQueued)
  // The message that is being edited, as it was when that began. It stays here although its turn comes: the person types.
  const [edited, setEdited] = useState<Message>()
  const isThere = queue.messages.some(({ id }) => id === edited?.id)
  const rows = edited === undefined || isThere ? queue.messages : [edited, ...queue.messages]
  const isOver = edited !== undefined && !isThere && !chat.unsent.has(edited.id)
  if (rows.length === 0 && queue.failure === undefined) return null

  const remove = async ({ id }: Message) => {
    if (chat.queued.some(each => each.id === id)) chat.discard(id)
    else await queue.remove(id)
  }
  const save = async (message: Message, text: string): Promise<Saved> => {
    if (chat.unsent.has(message.id)) {
      // The server turned out to be away, so the message is not in its queue. It goes back to the field with the new text.
      chat.discard(message.id)
      onTakeBack({ ...message, parts: [...message.parts.filter(isFilePart), { type: 'text', text }] })
      return 'moved'
    }
    const error = await queue.attempt(queue.edit(message.id, text))
    if (error === undefined) return 'saved'
    if (error.code !== 'not-waiting') return 'failed'
    onTakeBackText(text)
    return 'moved'
  }
  return (
    <section
      aria-label={words.waiting}
      className="mx-auto mb-2 w-full max-w-3xl rounded-2xl border border-line bg-panel p-1.5 text-sm"
    >
      {rows.length > 0 && (
        <h3 className="flex items-center gap-1.5 px-2 py-1 text-xs text-muted">
          <Clock size={13} /> {words.waiting}
        </h3>
      )}
      <ol className="max-h-[25vh] overflow-y-auto">
        {rows.map((message, index) => (
          <WaitingRow
            key={message.id}
            message={message}
            isFirst={index === 0}
            isSending={chat.queued.some(({ id }) => id === message.id)}
            isEdited={message.id === edited?.id}
            onEdit={setEdited}
            onSave={save}
            onLeft={onTakeBackText}
            onRemove={() => void queue.attempt(remove(message))}
            onAnswerNow={chat.stop}
          />
        ))}
      </ol>
      <Failure failure={queue.failure} isOver={isOver} onDismiss={queue.dismiss} />
    </section>
  )
}

interface FailureProps {
  readonly failure: ChatError | undefined
  /** Whether the message that is being edited does not wait any more. */
  readonly isOver: boolean
  readonly onDismiss: () => void
}

function Failure({ failure, isOver, onDismiss }: FailureProps) {
  const words = useLaterWords().compose
  const { dismiss } = useWords()
  if (failure === undefined && !isOver) return null
  const isGone = isOver || failure?.code === 'not-waiting'
  return (
    <div role="alert" className="flex items-center gap-1 px-2 py-1 text-danger">
      <span className="flex-1">
        {isGone || failure === undefined ? words.gone : <ErrorText error={failure} />}
      </span>
      {failure !== undefined && <IconButton icon={X} label={dismiss} onClick={onDismiss} iconPx={14} />}
    </div>
  )
}

interface RowProps {
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
function WaitingRow({ message, isFirst, isSending, isEdited, onEdit, onSave, onLeft, ...on }: RowProps) {
  const words = useLaterWords().compose
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
  const words = useLaterWords().compose
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

/** What became of a text: it is saved, it is in the field below because the message does not wait any more, or neither. */
type Saved = 'saved' | 'moved' | 'failed'

interface EditorProps {
  readonly message: Message
  /** Whether the message is on its way to the queue of the server. Until it is there, it cannot be changed. */
  readonly isSending: boolean
  readonly onSave: (text: string) => Promise<Saved>
  /** Closes the editor. `isMoved`: what was typed is in the field below now, and the focus too. */
  readonly onClose: (isMoved: boolean) => void
  /** Gets what the person has typed, when the editor goes away without being asked to: another chat is shown. */
  readonly onLeft: (text: string) => void
}

const editorLook = {
  box: 'min-w-0 flex-1 rounded-xl px-2.5 py-1',
  row: 'mt-1 mb-0.5',
  button: 'px-3 py-0.5 pointer-coarse:py-1.5',
}

/** The field in which a person edits a message that waits, in its place. */
function WaitingEditor({ message, isSending, onSave, onClose, onLeft }: EditorProps) {
  const words = useLaterWords().compose
  const before = textOf(message)
  const [text, setText] = useState(before)
  const [isSaving, setIsSaving] = useState(false)
  const hasFiles = message.parts.some(isFilePart)
  const canSave = !isSending && !isSaving && (text.trim() !== '' || hasFiles)
  const unsaved = useUnsaved(onLeft)
  unsaved.current = text.trim() === before.trim() ? '' : text

  const close = (isMoved = false) => {
    unsaved.current = ''
    onClose(isMoved)
  }
  const save = async () => {
    if (!canSave) return
    if (text.trim() === before.trim()) return close()
    setIsSaving(true)
    const saved = await onSave(text.trim())
    setIsSaving(false)
    if (saved !== 'failed') close(saved === 'moved')
  }
  return (
    <TextEditor
      look={editorLook}
      text={text}
      label={words.editWaiting}
      cancel={words.cancel}
      submit={words.save}
      canSubmit={canSave}
      // What is typed while it is saved would be lost.
      onChange={next => !isSaving && setText(next)}
      onSubmit={() => void save()}
      onCancel={() => close()}
    />
  )
}

/** Holds what is typed and not saved. Hands it over when the editor goes away with it. */
function useUnsaved(onLeft: (text: string) => void) {
  const unsaved = useRef('')
  const leave = useRef(onLeft)
  leave.current = onLeft
  useEffect(
    () => () => {
      if (unsaved.current.trim() !== '') leave.current(unsaved.current)
    },
    [],
  )
  return unsaved
}

import type { ChatError } from '@throughline/client'
import {
  type FilePart,
  isFilePart,
  isUnreadable,
  type Message,
  picturesIn,
  textOf,
} from '@throughline/protocol'
import { CircleAlert, Clock, FastForward, Pencil, Trash2, UserRound } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { TextEditor } from '../controls/text-editor.tsx'
import { ErrorText } from '../errors/error-text.tsx'
import { useChatActions } from '../parts/chat-actions.tsx'
import { FileName, UnreadablePart } from '../parts/part-view.tsx'
import { PictureButton } from '../pictures/picture-button.tsx'
import { useOwnPicture } from '../pictures/use-own-picture.ts'
import { useWords } from '../settings/settings.tsx'
import { useIsReady } from './chat-readiness.tsx'
import { isGoOn } from './go-on.ts'
import type { MessageGroup } from './group-answers.ts'
import { DeleteButton, MessageButton, Quiet, VersionSwitch, WhenReady } from './message-buttons.tsx'
import { useArticleBox } from './use-article-box.ts'

interface Props {
  readonly group: MessageGroup
  readonly failure: ChatError | undefined
}

/** A message of a person. They can edit it, and switch between its versions. */
export function UserMessageView({ group, failure }: Props) {
  const words = useWords()
  const { message } = group
  const { edit } = useChatActions()
  const editButton = useRef<HTMLButtonElement>(null)
  // Kept by id: when another version is shown instead, that one is not being edited.
  const [edited, setEdited] = useState<string>()
  const text = textOf(message)
  const box = useArticleBox(message)
  const { communicationType, receiverName } = message.metadata ?? {}
  const person = communicationType === 'user-to-user' ? receiverName : undefined

  const send = (changed: string) => {
    setEdited(undefined)
    edit(message.id, changed)
  }
  const cancel = () => {
    // Draws at once, because the button that gets the focus back must be on the page.
    flushSync(() => setEdited(undefined))
    editButton.current?.focus()
  }
  return (
    <article
      aria-label={words.you}
      data-role="user"
      data-message={message.id}
      style={box.style}
      className={`message flex flex-col items-end ${box.className}`}
    >
      {edited === message.id ? (
        <MessageEditor text={text} onSend={send} onCancel={cancel} />
      ) : (
        <>
          {person !== undefined && (
            <span data-receiver className="mb-1 flex items-center gap-1 text-xs text-muted">
              <UserRound size={12} /> {words.toPerson(person)}
            </span>
          )}
          <MessageFiles message={message} />
          {isGoOn(message) ? <GoOnText text={text} /> : text.trim() !== '' && <OwnText text={text} />}
          {message.parts.some(isUnreadable) && <UnreadablePart />}
          {failure !== undefined &&
            (failure.isTemporary ? (
              <AwaitsServer messageId={message.id} />
            ) : (
              <NotSent messageId={message.id} failure={failure} />
            ))}
          <MessageBar
            group={group}
            failure={failure}
            editButton={editButton}
            onEdit={() => setEdited(message.id)}
          />
        </>
      )}
    </article>
  )
}

interface BarProps extends Props {
  readonly editButton: RefObject<HTMLButtonElement | null>
  readonly onEdit: () => void
}

/** What can be done with a message, below it. */
function MessageBar({ group: { message, versions }, failure, editButton, onEdit }: BarProps) {
  const words = useWords()
  return (
    <div className="mt-0.5 flex h-7 items-center pointer-coarse:h-10">
      <Quiet>
        <WhenReady>
          {!failure?.isTemporary && (
            <MessageButton
              ref={editButton}
              icon={Pencil}
              label={words.edit}
              shortcut="edit"
              onClick={onEdit}
            />
          )}
          {failure === undefined && <DeleteButton message={message} />}
        </WhenReady>
      </Quiet>
      <VersionSwitch messageId={message.id} versions={versions} />
    </div>
  )
}

function OwnText({ text }: { readonly text: string }) {
  return (
    <div
      data-text
      dir="auto"
      className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 whitespace-pre-wrap break-words"
    >
      {text}
    </div>
  )
}

/** What a button of the page has written, and not the person. */
function GoOnText({ text }: { readonly text: string }) {
  const words = useWords()
  return (
    <div data-go-on className="max-w-[85%] border-r-2 border-line pr-3 text-right text-sm text-muted">
      <p className="flex items-center justify-end gap-1.5">
        <FastForward size={14} className="shrink-0" /> {words.askedToGoOn}
      </p>
      <p data-text>{text}</p>
    </div>
  )
}

/** Says that a message is sent when the server is back. Until then it can be changed or removed. */
function AwaitsServer({ messageId }: { readonly messageId: string }) {
  const words = useWords()
  const { discard, takeBack } = useChatActions()
  return (
    <p role="status" className="mt-1 flex items-center gap-1 text-sm text-muted">
      <Clock size={14} className="shrink-0" /> {words.awaitsServer}
      <MessageButton icon={Pencil} label={words.edit} onClick={() => takeBack(messageId)} />
      <MessageButton icon={Trash2} label={words.remove} onClick={() => discard(messageId)} />
    </p>
  )
}

/** Says that a message could not be sent and why, and offers to try again. */
function NotSent({ messageId, failure }: { readonly messageId: string; readonly failure: ChatError }) {
  const words = useWords()
  const { retry } = useChatActions()
  return (
    <p role="alert" className="mt-2 flex items-center justify-end gap-2 text-sm text-danger">
      <CircleAlert size={14} className="shrink-0" />
      <span>
        {words.notSent}
        {words.colon}
        <ErrorText error={failure} />
      </span>
      <button
        type="button"
        onClick={() => retry(messageId)}
        className="shrink-0 font-semibold underline underline-offset-2"
      >
        {words.retry}
      </button>
    </p>
  )
}

/** Draws the files of a person's message: pictures, and the names of all other files. */
function MessageFiles({ message }: { readonly message: Message }) {
  const files = message.parts.filter(isFilePart)
  if (files.length === 0) return null
  return (
    <ul data-files className="mb-1 flex max-w-[85%] flex-wrap justify-end gap-2">
      {files.map(part => (
        // Two parts of the same file have the same address, and look the same.
        <li key={`${part.url} ${part.filename}`} className="max-w-full">
          <MessageFile part={part} />
        </li>
      ))}
    </ul>
  )
}

function MessageFile({ part }: { readonly part: FilePart }) {
  // Only files of the server are loaded. A page must not load the addresses that somebody else wrote.
  const [address] = part.mediaType.startsWith('image/') ? picturesIn(part.url) : []
  const label = part.filename ?? part.mediaType
  return address === undefined ? <FileName label={label} /> : <Picture address={address} label={label} />
}

function Picture({ address, label }: { readonly address: string; readonly label: string }) {
  const picture = useOwnPicture(address)
  if (picture === undefined) return <FileName label={label} />
  return (
    <PictureButton
      address={picture}
      label={label}
      className="max-h-64 max-w-full rounded-xl border border-line"
    />
  )
}

interface EditorProps {
  readonly text: string
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

const editorLook = {
  box: 'mb-3 w-full rounded-2xl px-4 pt-1.5 pb-2.5 shadow-sm',
  row: 'mt-1 text-sm',
  button: 'px-4 py-1',
}

/** The field in which a person edits a message that was sent. */
function MessageEditor({ text: before, onSend, onCancel }: EditorProps) {
  const words = useWords()
  const isReady = useIsReady()
  const [text, setText] = useState(before)
  const canSend = isReady && text.trim() !== ''
  const send = () => {
    if (canSend) onSend(text.trim())
  }
  return (
    <TextEditor
      look={editorLook}
      text={text}
      label={words.editMessage}
      cancel={words.cancel}
      submit={words.send}
      canSubmit={canSend}
      onChange={setText}
      onSubmit={send}
      onCancel={onCancel}
    />
  )
}

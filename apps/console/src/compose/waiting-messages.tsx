import type { ChatError, Message } from '@throughline/client'
import { type ChatId, isFilePart } from '@throughline/protocol'
import { Clock, X } from 'lucide-react'
import { useState } from 'react'
import { ErrorText } from '../errors/error-text.tsx'
import { IconButton } from '../icon-button.tsx'
import { useWords } from '../settings/settings.tsx'
import type { ChatActivity } from './chat-activity.ts'
import { useComposeWords } from './compose-words.ts'
import { useQueue } from './use-queue.ts'
import type { Saved } from './waiting-editor.tsx'
import { WaitingRow } from './waiting-row.tsx'

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
  const words = useComposeWords()
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
  const words = useComposeWords()
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

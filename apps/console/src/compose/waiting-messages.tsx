import type { Message } from '@throughline/client'
import { type ChatId, isFilePart, textOf } from '@throughline/protocol'
import { Clock, FastForward, Paperclip, Pencil, Trash2 } from 'lucide-react'
import { IconButton } from '../icon-button.tsx'
import type { ChatActivity } from './chat-activity.ts'
import { useComposeWords } from './compose-words.ts'
import { useQueue } from './use-queue.ts'
import { withFileData } from './with-file-data.ts'

interface Props {
  readonly chatId: ChatId
  readonly chat: ChatActivity
  /** The message that was put into the queue last, by this page. */
  readonly lastQueued: Message | undefined
  /** Puts a message back into the field. */
  readonly onTakeBack: (message: Message) => void
}

const look = 'size-8 rounded-lg text-muted hover:bg-panel hover:text-ink pointer-coarse:size-10'

/** The messages that wait for the end of the answer, above the field. Each can be edited and removed until its turn. */
export function WaitingMessages({ chatId, chat, lastQueued, onTakeBack }: Props) {
  const words = useComposeWords()
  const queue = useQueue(chatId, chat, lastQueued)
  if (queue.messages.length === 0) return null

  const remove = async (message: Message) => {
    if (chat.queued.includes(message)) chat.discard(message.id)
    else await queue.remove(message.id)
  }
  const takeBack = async (message: Message) => {
    // The files of a message leave the server with it.
    const whole = await withFileData(message)
    await remove(message)
    onTakeBack(whole)
  }
  return (
    <section
      aria-label={words.waiting}
      className="mx-auto mb-2 w-full max-w-3xl rounded-2xl border border-line bg-panel p-1.5 text-sm"
    >
      <h3 className="flex items-center gap-1.5 px-2 py-1 text-xs text-muted">
        <Clock size={13} /> {words.waiting}
      </h3>
      <ol className="max-h-[25vh] overflow-y-auto">
        {queue.messages.map((message, index) => (
          <li
            key={message.id}
            data-waiting
            className="flex items-center gap-1 rounded-xl pl-2 hover:bg-raised"
          >
            <Summary message={message} isSending={chat.queued.includes(message)} />
            {index === 0 && (
              <IconButton
                icon={FastForward}
                label={words.answerNow}
                onClick={chat.stop}
                className={look}
                iconPx={15}
              />
            )}
            <IconButton
              icon={Pencil}
              label={words.edit}
              onClick={() => queue.attempt(takeBack(message))}
              className={look}
              iconPx={15}
            />
            <IconButton
              icon={Trash2}
              label={words.remove}
              onClick={() => queue.attempt(remove(message))}
              className={look}
              iconPx={15}
            />
          </li>
        ))}
      </ol>
      {queue.hasFailed && (
        <p role="alert" className="px-2 py-1 text-danger">
          {words.gone}
        </p>
      )}
    </section>
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

import { asChatError, type ChatError, createChatApi } from '@throughline/client'
import {
  type ChatId,
  createId,
  isMessageId,
  type Message,
  type MessageId,
  textOf,
} from '@throughline/protocol'
import { type FormEvent, useState } from 'react'
import { ErrorText } from '../../errors/error-text.tsx'
import { accessHeaders } from '../../server/access.ts'
import { basePath } from '../../server/base-path.ts'
import { serverFetch } from '../../server/server-fetch.ts'
import { useInspectorWords } from '../../words/inspector/use-inspector-words.ts'

interface Props {
  readonly chatId: ChatId
  /** The answer after which the conversation goes on. */
  readonly answer: Message
}

const excerptLength = 60

/** Sends a message that follows an earlier answer. If that is not the last one, a branch begins; nothing is replaced. */
export function FollowUpForm({ chatId, answer }: Props) {
  const words = useInspectorWords()
  const [text, setText] = useState('')
  // The same words under the same id are one message, also when its response got lost and the person sends it again.
  const [id, setId] = useState(newId)
  const [isSending, setIsSending] = useState(false)
  const [problem, setProblem] = useState<ChatError>()
  const send = async (event: FormEvent) => {
    event.preventDefault()
    setIsSending(true)
    setProblem(undefined)
    try {
      await sendAfter(chatId, answer, { id, text: text.trim() })
      setText('')
      setId(newId())
    } catch (error) {
      setProblem(asChatError(error))
    }
    setIsSending(false)
  }
  return (
    <form onSubmit={send} className="space-y-1 border-t border-line px-4 py-2">
      <p className="truncate text-xs text-muted">{words.followUpTo(excerptOf(textOf(answer)))}</p>
      <div className="flex gap-2">
        <input
          value={text}
          aria-label={words.followUp}
          placeholder={words.followUp}
          onChange={event => {
            setText(event.target.value)
            setId(newId())
          }}
          className="min-w-0 flex-1 rounded-lg border border-line bg-raised px-2.5 py-1 text-base sm:text-sm"
        />
        <button
          type="submit"
          disabled={isSending || text.trim() === ''}
          className="shrink-0 rounded-lg bg-accent px-3 py-1 text-sm text-page disabled:opacity-35"
        >
          {words.send}
        </button>
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-danger">
          <ErrorText error={problem} />
        </p>
      )}
    </form>
  )
}

function newId(): MessageId {
  return createId(isMessageId, 'user')
}

function excerptOf(text: string): string {
  const excerpt = text.slice(0, excerptLength).replaceAll(/\s+/g, ' ').trim()
  return text.length > excerptLength ? `${excerpt}…` : excerpt
}

/** The same agent answers. */
async function sendAfter(
  chatId: ChatId,
  { id: after, metadata }: Message,
  { id, text }: { readonly id: MessageId; readonly text: string },
): Promise<void> {
  const message: Message = {
    id,
    role: 'user',
    parts: [{ type: 'text', text }],
    metadata: { communicationType: 'user-to-agent', createdAt: new Date().toISOString() },
  }
  const api = createChatApi(chatId, { url: basePath, headers: accessHeaders, fetch: serverFetch })
  await api.send(message, { after, agent: metadata?.agentUsed })
}

import type { Message } from '@throughline/protocol'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { useWords } from '../settings/settings.tsx'

/** Says that an answer has no text, and which tool failed last. */
export function EmptyNote({ message }: { readonly message: Message }) {
  const words = useWords()
  const { lastToolError } = message.metadata ?? {}
  const text = lastToolError && words.lastToolError(lastToolError.toolName, lastToolError.errorText)
  return <EndNote icon={<CircleAlert size={14} />} label={words.emptyAnswer} text={text} />
}

interface EndNoteProps {
  readonly icon: ReactNode
  readonly label: string
  readonly text: string | undefined
}

/** A line about how an answer ended. */
export function EndNote({ icon, label, text }: EndNoteProps) {
  const words = useWords()
  return (
    <p className="flex items-center gap-1.5 text-sm text-warning">
      {icon}
      <span>
        {label}
        {text !== undefined && (
          <>
            {words.colon}
            <ServerSentence text={text} />
          </>
        )}
      </span>
    </p>
  )
}

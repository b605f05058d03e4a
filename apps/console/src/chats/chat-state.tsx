import type { ListedChat } from '@throughline/protocol'
import { useWords } from '../settings/settings.tsx'

interface Props extends Pick<ListedChat, 'activity'> {
  readonly isUnread: boolean
}

/** Says in a row of the list what the chat does, or that it has a new answer. Nothing for all others. */
export function ChatState({ activity, isUnread }: Props) {
  const words = useWords()
  if (activity === 'waiting') return <Mark dot="bg-warning" ink="text-warning" text={words.waiting} />
  if (activity === 'running') return <Mark dot="bg-muted" ink="text-muted" text={words.running} isLive />
  return isUnread ? <Mark dot="bg-accent" ink="text-accent" text={words.unread} /> : undefined
}

interface MarkProps {
  /** The class with the colour of the dot, and the one with the colour of the text. */
  readonly dot: string
  readonly ink: string
  readonly text: string
  readonly isLive?: boolean
}

function Mark({ dot, ink, text, isLive = false }: MarkProps) {
  return (
    <span data-state className={`flex items-center gap-1.5 text-xs ${ink}`}>
      <span aria-hidden="true" className={`size-1.5 rounded-full ${dot} ${isLive ? 'animate-pulse' : ''}`} />
      {text}
    </span>
  )
}

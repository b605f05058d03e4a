import { Copy, MessageSquareText, Trash2 } from 'lucide-react'
import { useAgentsWords } from './agents-words.ts'

interface Props {
  readonly isTrying: boolean
  /** Missing for an agent that is not saved yet. */
  readonly onCopy?: (() => void) | undefined
  /** Missing for an agent that cannot be deleted here. */
  readonly onRemove?: (() => void) | undefined
  readonly onTry: () => void
}

/** What can be done with an agent, in the header of its page. */
export function AgentActions({ isTrying, onCopy, onRemove, onTry }: Props) {
  const words = useAgentsWords()
  const look =
    'flex min-h-10 min-w-10 shrink-0 items-center justify-center gap-1.5 rounded-lg px-2 text-sm hover:bg-panel'
  return (
    <div className="-my-1.5 flex shrink-0 items-center">
      {onCopy && (
        <button
          type="button"
          aria-label={words.copy}
          title={words.copy}
          onClick={onCopy}
          className={`${look} text-muted hover:text-ink`}
        >
          <Copy size={16} />
        </button>
      )}
      {onRemove && (
        <button
          type="button"
          aria-label={words.remove}
          title={words.remove}
          onClick={onRemove}
          className={`${look} text-muted hover:text-danger`}
        >
          <Trash2 size={16} />
        </button>
      )}
      <button type="button" aria-pressed={isTrying} onClick={onTry} className={`${look} text-accent`}>
        <MessageSquareText size={16} /> {words.tryIt}
      </button>
    </div>
  )
}

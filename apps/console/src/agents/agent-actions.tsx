import { Copy, MessageSquareText, Trash2 } from 'lucide-react'
import { IconButton } from '../icon-button.tsx'
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
  const icon = 'min-h-10 min-w-10 rounded-lg text-muted hover:bg-panel'
  return (
    <div className="-my-1.5 flex shrink-0 items-center">
      {onCopy && (
        <IconButton icon={Copy} label={words.copy} onClick={onCopy} className={`${icon} hover:text-ink`} />
      )}
      {onRemove && (
        <IconButton
          icon={Trash2}
          label={words.remove}
          onClick={onRemove}
          className={`${icon} hover:text-danger`}
        />
      )}
      <button type="button" aria-pressed={isTrying} onClick={onTry} className={`${look} text-accent`}>
        <MessageSquareText size={16} /> {words.tryIt}
      </button>
    </div>
  )
}

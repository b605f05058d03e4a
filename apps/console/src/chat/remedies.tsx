import type { Message } from '@throughline/protocol'
import { FastForward, type LucideIcon, RefreshCw } from 'lucide-react'
import { useChatActions } from '../chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { canGoOn } from './go-on.ts'
import { WhenReady } from './quiet.tsx'

/** What a person can do about an answer that did not come to a good end: ask again, or ask the agent to go on. */
export function Remedies({ message }: { readonly message: Message }) {
  const words = useWords()
  const { goOn, regenerate } = useChatActions()
  const { status, isEmpty } = message.metadata ?? {}
  if (status === undefined || status === 'streaming' || (status === 'finished' && isEmpty !== true))
    return null
  return (
    <WhenReady>
      <span className="flex flex-wrap gap-2">
        <Remedy icon={RefreshCw} label={words.retry} onClick={() => regenerate(message.id)} />
        {canGoOn(message) && <Remedy icon={FastForward} label={words.goOn} onClick={() => goOn(message)} />}
      </span>
    </WhenReady>
  )
}

interface RemedyProps {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
}

function Remedy({ icon: Icon, label, onClick }: RemedyProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex items-center gap-1.5 rounded-full border border-line bg-raised px-3 py-1 text-sm hover:border-accent pointer-coarse:min-h-10"
    >
      <Icon size={14} className="shrink-0 text-muted" /> {label}
    </button>
  )
}

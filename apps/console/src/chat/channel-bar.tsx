import { Hand, MessagesSquare, Undo2 } from 'lucide-react'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'
import type { ChatChannel } from './use-channel.ts'

/** Names the channel of a chat, and lets a person write there in place of the agent. */
export function ChannelBar({ channel }: { readonly channel: ChatChannel }) {
  const words = useWords()
  const { name, isTakenOver, failure, takeOver } = channel
  if (name === undefined) return null
  const Icon = isTakenOver ? Undo2 : Hand
  return (
    <div className="flex items-center gap-2 border-b border-line bg-panel px-4 py-1.5 text-sm text-muted">
      <MessagesSquare size={15} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        {words.inChannel(name)}
        {failure !== undefined && (
          <span role="alert" className="ml-2 text-danger">
            <ErrorText error={failure} />
          </span>
        )}
        {isTakenOver && <strong className="ml-2 font-medium text-ink">{words.youAnswer}</strong>}
      </span>
      <button
        type="button"
        onClick={() => takeOver(!isTakenOver)}
        className="flex shrink-0 items-center gap-1.5 rounded-full border border-line bg-raised px-3 py-0.5 text-ink hover:border-accent"
      >
        <Icon size={14} /> {isTakenOver ? words.giveBack : words.takeOver}
      </button>
    </div>
  )
}

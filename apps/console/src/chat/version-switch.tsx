import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useChatActions } from '../chat-actions.tsx'
import { useWords } from '../settings/settings.tsx'
import { ActionButton } from './action-button.tsx'

interface Props {
  readonly messageId: string
  /** The ids of all versions, oldest first. */
  readonly versions: readonly string[]
}

/** Shows the number of a message's version, and buttons to the other versions. */
export function VersionSwitch({ messageId, versions }: Props) {
  const words = useWords()
  const { showVersion } = useChatActions()
  const place = versions.indexOf(messageId)
  if (place === -1 || versions.length < 2) return null
  const earlier = versions[place - 1]
  const later = versions[place + 1]
  return (
    <fieldset aria-label={words.version(place + 1, versions.length)} className="flex items-center">
      <ActionButton
        icon={ChevronLeft}
        label={words.earlierVersion}
        isOff={earlier === undefined}
        onClick={() => earlier !== undefined && showVersion(earlier)}
      />
      <span className="min-w-7 text-center text-xs text-muted tabular-nums">
        {place + 1}/{versions.length}
      </span>
      <ActionButton
        icon={ChevronRight}
        label={words.laterVersion}
        isOff={later === undefined}
        onClick={() => later !== undefined && showVersion(later)}
      />
    </fieldset>
  )
}

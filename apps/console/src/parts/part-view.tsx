import { isContinued, isToolPart, isUnreadable, type Part } from '@throughline/protocol'
import { memo } from 'react'
import { ErrorBoundary } from '../error-boundary.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useWords } from '../settings/settings.tsx'
import { FileName } from './file-name.tsx'
import { Reasoning } from './reasoning.tsx'
import type { Step } from './steps.ts'
import { ToolCard } from './tool-card.tsx'
import { UnreadablePart } from './unreadable-part.tsx'

interface Props {
  /** Names the part among all parts of all chats. */
  readonly id: string
  readonly part: Part
  readonly step?: Step | undefined
  /** Whether the message of the part is still being written. */
  readonly isLive: boolean
}

/** Draws one part of a message. Draws nothing for a source, which is in the list below the message, and for unknown parts. */
export const PartView = memo(function PartView(props: Props) {
  return (
    <ErrorBoundary fallback={<UnreadablePart />}>
      <PartContent {...props} />
    </ErrorBoundary>
  )
})

function PartContent({ id, part, step, isLive }: Props) {
  if (isToolPart(part)) return <ToolCard id={id} part={part} step={step} isLive={isLive} />
  if (isContinued(part)) return <ContinuedMark />
  if (isUnreadable(part)) return <UnreadablePart />
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} />
    case 'reasoning':
      return <Reasoning id={id} part={part} />
    case 'file':
      return <FileName label={part.filename ?? part.mediaType} />
    default:
      return null
  }
}

/** Shows where an answer went on after a crash. */
function ContinuedMark() {
  return <p className="text-xs text-muted">↻ {useWords().continued}</p>
}

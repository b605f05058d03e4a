import { isContinued, isToolPart, type Part } from '@throughline/protocol'
import { FileText, Link as LinkIcon } from 'lucide-react'
import { memo } from 'react'
import { ErrorBoundary } from '../error-boundary.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useWords } from '../settings/settings.tsx'
import { Reasoning } from './reasoning.tsx'
import type { Step } from './steps.ts'
import { ToolCard } from './tool-card.tsx'

interface Props {
  readonly part: Part
  readonly step?: Step | undefined
}

/** Draws one part of a message. Draws nothing for parts of an unknown type. */
export const PartView = memo(function PartView({ part, step }: Props) {
  const words = useWords()
  return (
    <ErrorBoundary fallback={<p className="text-sm text-danger">{words.renderFailed}</p>}>
      <PartContent part={part} step={step} />
    </ErrorBoundary>
  )
})

function PartContent({ part, step }: Props) {
  if (isToolPart(part)) return <ToolCard part={part} step={step} />
  if (isContinued(part)) return <ContinuedMark />
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} />
    case 'reasoning':
      return <Reasoning part={part} />
    case 'source-url':
      return <Source label={part.title ?? part.url} address={part.url} />
    case 'source-document':
      return <Source label={part.title} />
    case 'file':
      return <Source label={part.filename ?? part.mediaType} />
    default:
      return null
  }
}

/** Shows where an answer went on after a crash. */
function ContinuedMark() {
  return <p className="text-xs text-muted">↻ {useWords().continued}</p>
}

function Source({ label, address }: { readonly label: string; readonly address?: string }) {
  const look = 'inline-flex max-w-full items-center gap-1.5 rounded-lg border border-line px-2 py-0.5 text-sm'
  if (address === undefined || !/^https?:/i.test(address)) {
    return (
      <span className={look}>
        <FileText size={14} className="shrink-0 text-muted" />
        <span className="truncate">{label}</span>
      </span>
    )
  }
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`${look} hover:text-accent`}
    >
      <LinkIcon size={14} className="shrink-0 text-muted" />
      <span className="truncate">{label}</span>
    </a>
  )
}

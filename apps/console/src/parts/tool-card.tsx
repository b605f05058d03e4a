import { picturesIn, type ToolPart, toolInput, toolNameOf, truncatedIn } from '@throughline/protocol'
import { Check, ChevronRight, LoaderCircle, ShieldQuestion, X } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import { Approval } from './approval.tsx'
import { Screenshot } from './screenshot.tsx'
import type { Step } from './steps.ts'
import { ValueView } from './value-view.tsx'

interface Props {
  readonly part: ToolPart
  readonly step: Step | undefined
}

/** A tool call: its state on one line, and its input and output when the person opens it. */
export const ToolCard = memo(function ToolCard({ part, step }: Props) {
  const words = useWords()
  // Closed until the person opens it. A new state of the tool never opens or closes it.
  const [isOpen, setIsOpen] = useState(false)
  const stage = stageOf(part)
  const input = toolInput(part)
  const pictures = useMemo(() => picturesIn(part.output), [part.output])
  return (
    <section
      aria-label={`${toolNameOf(part)}: ${words[stage]}`}
      data-stage={stage}
      className="overflow-hidden rounded-xl border border-line bg-raised text-sm"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-2.5 px-3 py-2 text-left hover:bg-panel"
      >
        <StageIcon stage={stage} />
        <span className="shrink-0 font-medium">{part.title ?? toolNameOf(part)}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{summaryOf(input)}</span>
        <span className="shrink-0 text-xs text-muted">
          {words[stage]}
          {step?.durationMs === undefined ? '' : ` · ${durationText(step.durationMs)}`}
        </span>
        <ChevronRight
          size={15}
          className={`shrink-0 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {part.state === 'approval-requested' && part.approval !== undefined && (
        <Approval id={part.approval.id} input={input} />
      )}
      {part.state === 'output-denied' && (
        <p className="border-t border-line px-3 py-1.5 text-muted">{part.approval?.reason ?? words.denied}</p>
      )}
      {part.errorText !== undefined && (
        <p className="border-t border-line bg-danger-soft px-3 py-1.5 text-danger break-words">
          {part.errorText}
        </p>
      )}
      {pictures.map(address => (
        <Screenshot key={address} address={address} />
      ))}
      {isOpen && (
        <div className="space-y-3 border-t border-line px-3 py-2.5">
          <ValueView label={words.input} value={input} />
          {part.output !== undefined && (
            <ValueView
              label={part.preliminary === true ? words.partialOutput : words.output}
              value={part.output}
            />
          )}
        </div>
      )}
    </section>
  )
})

export type Stage = 'preparing' | 'waiting' | 'running' | 'done' | 'failed'

export function stageOf({ state, preliminary }: ToolPart): Stage {
  if (state === 'input-streaming') return 'preparing'
  if (state === 'approval-requested') return 'waiting'
  if (state === 'output-error' || state === 'output-denied') return 'failed'
  return state === 'output-available' && preliminary !== true ? 'done' : 'running'
}

export function StageIcon({ stage }: { readonly stage: Stage }) {
  if (stage === 'done') return <Check size={16} className="shrink-0 text-accent" />
  if (stage === 'failed') return <X size={16} className="shrink-0 text-danger" />
  if (stage === 'waiting') return <ShieldQuestion size={16} className="shrink-0 text-warning" />
  return <LoaderCircle size={16} className="shrink-0 animate-spin text-accent" />
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Returns the input of a call on one short line. */
function summaryOf(input: unknown): string {
  const truncated = truncatedIn(input)
  if (truncated !== undefined) return truncated.text.slice(0, 200)
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : String(input)
  return Object.values(input)
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
    .slice(0, 200)
}

import type { ReasoningPart } from '@throughline/protocol'
import { Brain, ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { useWords } from '../settings/settings.tsx'
import { useOpen } from './use-open.ts'

interface Props {
  /** Names the part among all parts of all chats. */
  readonly id: string
  readonly part: ReasoningPart
}

/** The reasoning of an agent: open while it is written, then closed, unless the person has opened or closed it. */
export const Reasoning = memo(function Reasoning({ id, part }: Props) {
  const words = useWords()
  const isThinking = part.state === 'streaming'
  const { isOpen, toggle, box } = useOpen(id, isThinking)
  if (part.text.trim() === '') return null
  return (
    <section ref={box} className="text-sm text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="flex items-center gap-1.5 rounded hover:text-ink"
      >
        <Brain size={15} className={isThinking ? 'animate-pulse text-accent' : ''} />
        {isThinking ? words.reasoning : words.thought}
        <ChevronRight size={14} className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && (
        <div className="mt-1.5 border-l-2 border-line pl-3">
          <Markdown text={part.text} />
        </div>
      )}
    </section>
  )
})

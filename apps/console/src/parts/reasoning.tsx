import type { ReasoningPart } from '@throughline/protocol'
import { Brain, ChevronRight } from 'lucide-react'
import { memo, useState } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { useWords } from '../settings/settings.tsx'

/** The reasoning of an agent: open while it is written, then closed, unless the person has opened or closed it. */
export const Reasoning = memo(function Reasoning({ part }: { readonly part: ReasoningPart }) {
  const words = useWords()
  const [choice, setChoice] = useState<boolean>()
  const isThinking = part.state === 'streaming'
  const isOpen = choice ?? isThinking
  if (part.text.trim() === '') return null
  return (
    <section className="text-sm text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChoice(!isOpen)}
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

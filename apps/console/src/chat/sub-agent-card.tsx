import type { Message, ToolPart } from '@throughline/protocol'
import { Bot, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Stage, StageIcon, stageOf } from '../parts/tool-card.tsx'
import { useWords } from '../settings/settings.tsx'
import { EmptyNote } from './end-note.tsx'
import { isBetweenParts } from './is-between-parts.ts'
import { Dots } from './sender.tsx'

interface Props {
  readonly part: ToolPart
  /** The sub-agent's message. The tool's result has the same text, so it is not shown. */
  readonly message: Message
  /** The parts of that message. They are drawn only while the card is open. */
  readonly children: ReactNode
}

/** A call to a sub-agent, with its work inside: open while it works, then closed, unless the person has chosen. */
export function SubAgentCard({ part, message, children }: Props) {
  const words = useWords()
  const [choice, setChoice] = useState<boolean>()
  const { agent, status, statusText, senderName, isEmpty } = message.metadata ?? {}
  const name = senderName || agent?.displayName || words.agent
  const stage = stageOfSubAgent(part, status)
  const isOpen = choice ?? (stage === 'running' || stage === 'preparing')
  return (
    <section data-sub-agent={agent?.name} data-depth={agent?.depth} data-stage={stage} className="text-sm">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setChoice(!isOpen)}
        className="flex w-full items-center gap-2 rounded-lg py-1 text-left hover:bg-panel"
      >
        <StageIcon stage={stage} />
        <span className="flex shrink-0 items-center gap-1 rounded-full bg-accent-soft px-2 py-0.5 text-xs font-semibold text-accent">
          <Bot size={13} /> {name}
        </span>
        <span className="min-w-0 flex-1 truncate text-muted">{taskOf(part)}</span>
        <span className="shrink-0 text-xs text-muted">{words[stage]}</span>
        <ChevronRight
          size={15}
          className={`shrink-0 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && (
        <div className="mt-1 ml-2 space-y-3 border-l-2 border-accent-soft pl-4">
          {children}
          {isBetweenParts(message) && <Dots label={words.thinking(name)} />}
          {status !== 'finished' && statusText !== undefined && <p className="text-warning">{statusText}</p>}
          {status === 'finished' && isEmpty === true && <EmptyNote message={message} />}
        </div>
      )}
    </section>
  )
}

function stageOfSubAgent(part: ToolPart, status: string | undefined): Stage {
  if (status === 'streaming') return 'running'
  return status === 'finished' && part.state !== 'output-error'
    ? 'done'
    : status === undefined
      ? stageOf(part)
      : 'failed'
}

function taskOf({ input }: ToolPart): string {
  return typeof input === 'object' && input !== null && 'task' in input ? String(input.task) : ''
}

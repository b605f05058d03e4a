import {
  Check,
  ChevronRight,
  CircleSlash,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  ShieldQuestion,
  X,
} from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { useWords } from '../settings/settings.tsx'
import type { Stage } from './stage.ts'

interface Props {
  /** Names the card among all cards of all chats. */
  readonly id: string
  readonly ref?: Ref<HTMLElement>
  readonly stage: Stage
  /** Names the card for a screen reader. */
  readonly name: string
  /** What is called. Stands before the summary. */
  readonly title: ReactNode
  /** What it is asked to do, on one line. */
  readonly summary: string
  /** Stands after the word for the stage. */
  readonly time?: string | undefined
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly agent?: { readonly name: string; readonly depth: number } | undefined
  readonly children: ReactNode
}

/** What every tool call and every sub-agent looks like: one line that opens and closes, and what stands below it. */
export function Card({
  id,
  ref,
  stage,
  name,
  title,
  summary,
  time,
  isOpen,
  onToggle,
  agent,
  children,
}: Props) {
  const words = useWords()
  const stageWord = words.stages[stage]
  return (
    // A group, not a landmark of the page: a chat has many cards, with the same names.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <section
      ref={ref}
      data-card={id}
      role="group"
      aria-label={`${name}${words.colon}${stageWord}`}
      data-stage={stage}
      data-sub-agent={agent?.name}
      data-depth={agent?.depth}
      className="overflow-hidden rounded-xl border border-line bg-raised text-sm"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full items-center gap-2.5 px-3 py-2 text-left -outline-offset-2 hover:bg-panel pointer-coarse:min-h-10"
      >
        <StageIcon stage={stage} />
        {title}
        <span className="min-w-0 flex-1 truncate text-xs text-muted">{summary}</span>
        <span className="shrink-0 text-xs text-muted">
          {stageWord}
          {time === undefined ? '' : ` · ${time}`}
        </span>
        <ChevronRight
          size={15}
          className={`shrink-0 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {children}
    </section>
  )
}

/** A line below the head of a card that says why it came to this end. */
export function CardNote({ stage, text }: { readonly stage: Stage; readonly text: string }) {
  const look = stage === 'failed' ? 'bg-danger-soft text-danger' : 'text-muted'
  return (
    <p className={`border-t border-line px-3 py-1.5 break-words ${look}`}>
      <ServerSentence text={text} />
    </p>
  )
}

const looks: Readonly<Record<Stage, readonly [LucideIcon, string]>> = {
  preparing: [LoaderCircle, 'animate-spin text-accent'],
  running: [LoaderCircle, 'animate-spin text-accent'],
  waiting: [ShieldQuestion, 'text-warning'],
  'waiting-for-app': [Hourglass, 'text-muted'],
  done: [Check, 'text-accent'],
  failed: [X, 'text-danger'],
  denied: [CircleSlash, 'text-muted'],
  refused: [CircleSlash, 'text-warning'],
  empty: [CircleSlash, 'text-warning'],
  limit: [CircleSlash, 'text-warning'],
  stopped: [CircleSlash, 'text-muted'],
  cut: [CircleSlash, 'text-muted'],
  unknown: [ShieldQuestion, 'text-danger'],
}

/** The picture of a stage. Only what goes on moves. */
export function StageIcon({ stage }: { readonly stage: Stage }) {
  const [Icon, look] = looks[stage]
  return <Icon size={16} aria-hidden="true" className={`shrink-0 ${look}`} />
}

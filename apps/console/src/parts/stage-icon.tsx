import { Check, CircleSlash, Hourglass, LoaderCircle, type LucideIcon, ShieldQuestion, X } from 'lucide-react'
import type { Stage } from './stage.ts'

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

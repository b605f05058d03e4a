import { PenLine, Undo2, UserRound } from 'lucide-react'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'
import type { AskedPerson } from './use-person.ts'

/** Says that the message is for a person, and lets that person reply here. */
export function PersonBar({ person }: { readonly person: AskedPerson }) {
  const words = useWords()
  const { name, isReplying, failure, setReplying } = person
  if (name === undefined) return null
  const Icon = isReplying ? Undo2 : PenLine
  return (
    <div className="flex items-center gap-2 border-b border-line bg-panel px-4 py-1.5 text-sm text-muted">
      <UserRound size={15} className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">
        {isReplying ? words.youSpeakAs(name) : words.waitsFor(name)}
        {failure !== undefined && (
          <span role="alert" className="ml-2 text-danger">
            <ErrorText error={failure} />
          </span>
        )}
      </span>
      <button
        type="button"
        onClick={() => setReplying(!isReplying)}
        className="flex shrink-0 items-center gap-1.5 rounded-full border border-line bg-raised px-3 py-0.5 text-ink hover:border-accent"
      >
        <Icon size={14} /> {isReplying ? words.writeAsYourself : words.answerAs(name)}
      </button>
    </div>
  )
}

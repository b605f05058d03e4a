import { useAgentsWords } from './agents-words.ts'

interface Props {
  readonly hasFailed: boolean
  readonly onRetry: () => void
}

/** Stands where something is being loaded, or could not be loaded. */
export function LoadNote({ hasFailed, onRetry }: Props) {
  const words = useAgentsWords()
  return (
    <p role="status" className="m-auto p-6 text-center text-muted">
      {hasFailed ? words.loadFailed : words.loading}{' '}
      {hasFailed && (
        <button type="button" onClick={onRetry} className="text-accent underline">
          {words.retry}
        </button>
      )}
    </p>
  )
}

import { useWords } from './settings/settings.tsx'

/** In place of something that cannot be shown: says so, and offers what usually helps. */
export function ReloadNote() {
  const words = useWords()
  return (
    <p role="alert" className="p-3 text-sm text-danger">
      {words.renderFailed}{' '}
      <button
        type="button"
        onClick={() => location.reload()}
        className="font-semibold underline underline-offset-2"
      >
        {words.reloadPage}
      </button>
    </p>
  )
}

import { useWords } from '../settings/settings.tsx'

/** In place of a part that cannot be read or drawn. Everything around it is shown. */
export function UnreadablePart() {
  return (
    <p data-unreadable className="text-sm text-danger">
      {useWords().renderFailed}
    </p>
  )
}

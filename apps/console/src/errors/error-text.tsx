import type { ChatError } from '@throughline/client'
import { lazy, Suspense, useEffect } from 'react'
import { useSettings } from '../settings/settings.tsx'

const load = () => import('./zh-errors.tsx')

// The words are not in the page at first: the server's own texts are in English.
const ChineseErrorText = lazy(() =>
  load().then(
    file => ({ default: file.ChineseErrorText }),
    // Without the words, the text of the server is all there is.
    () => ({ default: ServerText }),
  ),
)

interface Props {
  readonly error: Pick<ChatError, 'code' | 'message'>
}

/** Says what went wrong, in the language of the page. */
export function ErrorText({ error }: Props) {
  const { language } = useSettings()
  if (language === 'en') return error.message
  return (
    <Suspense>
      <ChineseErrorText error={error} />
    </Suspense>
  )
}

/** Loads the words before they are needed. When the server is away, they cannot be loaded any more. */
export function usePreloadedErrors(): void {
  const { language } = useSettings()
  useEffect(() => {
    if (language !== 'en') load().catch(() => undefined)
  }, [language])
}

function ServerText({ error }: Props) {
  return <span lang="en">{error.message}</span>
}

import { lazy, Suspense } from 'react'
import { useSettings } from '../settings/settings.tsx'

interface Props {
  readonly text: string
}

// The server writes in English. Most chats need none of these sentences, so they are loaded with the first one.
const ChineseSentence = lazy(() =>
  import('./zh-sentences.tsx').then(
    file => ({ default: file.ChineseSentence }),
    // Without the words, the text of the server is all there is.
    () => ({ default: ({ text }: Props) => text }),
  ),
)

/** Says in the language of the page what the server has written into an answer. Other texts stay as they are. */
export function ServerSentence({ text }: Props) {
  const { language } = useSettings()
  if (language === 'en') return text
  return (
    <Suspense fallback={text}>
      <ChineseSentence text={text} />
    </Suspense>
  )
}

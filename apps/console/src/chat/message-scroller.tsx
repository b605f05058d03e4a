import { ArrowDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import type { Stick } from './use-stick-to-end.ts'

interface Props {
  readonly stick: Stick
  readonly children: ReactNode
}

/** What scrolls: the messages. A person who has scrolled away from the end has a button that leads back. */
export function MessageScroller({ stick, children }: Props) {
  const words = useWords()
  const { scroller, content, isAtEnd, toEnd } = stick
  useKeptFocus(scroller)
  return (
    <>
      <section
        ref={scroller}
        id="messages"
        aria-label={words.messages}
        data-reading={isAtEnd ? undefined : ''}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-6 -outline-offset-2"
      >
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-3">
          {children}
        </div>
      </section>
      {!isAtEnd && (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-24 left-1/2 flex -translate-x-1/2 items-center gap-1 rounded-full border border-line bg-raised px-3 py-1 text-sm shadow"
        >
          <ArrowDown size={14} /> {words.latest}
        </button>
      )}
    </>
  )
}

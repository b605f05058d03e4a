import { ArrowDown } from 'lucide-react'
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useWords } from '../settings/settings.tsx'

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

const nearPx = 80

interface Stick {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  toEnd(): void
}

/** Keeps the newest text in view, until the person scrolls away from the end. After that, the text that the person reads does not move. */
export function useStickToEnd(): Stick {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const sticks = useRef(true)
  const lastTop = useRef(0)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    sticks.current = true
    box.scrollTo({ top: box.scrollHeight })
    lastTop.current = box.scrollTop
  }, [])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const onScroll = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx
      // New text can move the end away from us. That does not count: only a person scrolls up.
      if (isNear) sticks.current = true
      else if (box.scrollTop < lastTop.current) sticks.current = false
      lastTop.current = box.scrollTop
      setIsAtEnd(sticks.current)
    }
    box.addEventListener('scroll', onScroll, { passive: true })
    // The observer is called between layout and paint. Reading the height here does not cause another layout.
    let boxTop = box.getBoundingClientRect().top
    const watch = new ResizeObserver(() => {
      const moved = box.getBoundingClientRect().top - boxTop
      boxTop += moved
      if (sticks.current) toEnd()
      // A line above the chat has come or gone, and has moved the box. The text in it stays where it is.
      else if (moved !== 0) box.scrollTop += moved
    })
    watch.observe(inner)
    watch.observe(box)
    return () => {
      box.removeEventListener('scroll', onScroll)
      watch.disconnect()
    }
  }, [toEnd])

  return { scroller, content, isAtEnd, toEnd }
}

/**
 * Gives the focus to a container when the element inside of it that has the focus goes away, as a deleted message does,
 * or the buttons of an approval. Without this, a person with a keyboard would begin again at the top of the page.
 */
function useKeptFocus(container: RefObject<HTMLElement | null>): void {
  const last = useRef<EventTarget>(null)
  useEffect(() => {
    const box = container.current
    const onFocus = ({ target }: FocusEvent) => {
      last.current = target
    }
    box?.addEventListener('focusin', onFocus)
    return () => box?.removeEventListener('focusin', onFocus)
  }, [container])
  // After every rendering, because every rendering may remove elements.
  useLayoutEffect(() => {
    const before = last.current
    if (!(before instanceof Element) || before.isConnected) return
    last.current = null
    // Whoever has moved the focus meanwhile keeps it.
    if (document.activeElement === document.body) container.current?.focus()
  })
}

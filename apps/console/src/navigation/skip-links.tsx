import { useWords } from '../settings/settings.tsx'

/**
 * The first buttons of the page. They are seen only while they have the focus, and lead a person with a keyboard past
 * the list of chats. They are no links: a link would change the address.
 */
export function SkipLinks({ hasField }: { readonly hasField: boolean }) {
  const words = useWords()
  return (
    <>
      <SkipLink label={words.skipToContent} find={contentOf} />
      {hasField && <SkipLink label={words.skipToField} find={fieldOf} />}
    </>
  )
}

interface SkipLinkProps {
  readonly label: string
  readonly find: () => HTMLElement | null | undefined
}

function SkipLink({ label, find }: SkipLinkProps) {
  return (
    <button
      type="button"
      data-skip
      onClick={() => find()?.focus()}
      className="fixed top-2 left-2 z-50 rounded-lg bg-ink px-4 py-2 text-page not-focus:sr-only max-md:hidden"
    >
      {label}
    </button>
  )
}

/** Returns the messages of the chat. On a page without messages, returns all of the page. */
export function contentOf(): HTMLElement | null {
  const content = document.querySelector<HTMLElement>('#messages') ?? document.querySelector('main')
  // An element that is no link, button or field takes the focus only if it has this attribute.
  if (content?.hasAttribute('tabindex') === false) content.tabIndex = -1
  return content
}

/** Returns the field for the next message. It comes after the fields in which a person edits a message. */
function fieldOf(): HTMLElement | undefined {
  return [...document.querySelectorAll('main textarea')].filter(each => each instanceof HTMLElement).at(-1)
}

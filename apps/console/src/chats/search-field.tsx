import { Search as SearchIcon } from 'lucide-react'
import { useRef } from 'react'
import { useWords } from '../settings/settings.tsx'
import { useKeys } from '../use-keys.ts'
import type { Search } from './use-search.ts'

/** The field to search in chats. Ctrl+K or ⌘K leads to it, and Escape clears it. */
export function SearchField({ search }: { readonly search: Search }) {
  const words = useWords()
  const field = useRef<HTMLInputElement>(null)
  useKeys(event => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
    event.preventDefault()
    field.current?.focus()
  })
  return (
    <search className="relative mx-3 mb-2">
      <SearchIcon
        size={15}
        aria-hidden="true"
        className="absolute top-1/2 left-3 -translate-y-1/2 text-muted"
      />
      <input
        ref={field}
        type="search"
        value={search.text}
        maxLength={200}
        aria-label={words.searchChats}
        placeholder={words.searchChats}
        aria-keyshortcuts="Control+K Meta+K"
        onChange={event => search.setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing || search.text === '') return
          // It closes nothing else.
          event.stopPropagation()
          search.setText('')
        }}
        className="w-full rounded-xl border border-line bg-raised py-1.5 pr-2 pl-9 text-base outline-none placeholder:text-muted focus:border-accent md:text-sm"
      />
    </search>
  )
}

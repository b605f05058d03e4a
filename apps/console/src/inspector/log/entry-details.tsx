import type { Entry } from '@throughline/protocol'
import { useMemo } from 'react'
import { sizeText } from '../../size-text.ts'
import { useInspectorWords } from '../inspector-words.ts'

interface Props {
  readonly entry: Entry | undefined
  readonly size: number
}

/** So much of the JSON is shown. More would block the page. */
const longest = 50_000

/** All of one entry, as JSON. */
export function EntryDetails({ entry, size }: Props) {
  const words = useInspectorWords()
  const json = useMemo(() => (entry === undefined ? '' : JSON.stringify(entry, undefined, 2)), [entry])
  if (entry === undefined)
    return <p className="border-t border-line px-4 py-3 text-sm text-muted">{words.chooseEntry}</p>
  return (
    <section
      aria-label={words.entry(entry.seq)}
      className="flex h-2/5 shrink-0 flex-col border-t border-line bg-panel"
    >
      <h3 className="flex flex-wrap gap-x-3 px-4 pt-2 text-sm font-medium">
        {words.entry(entry.seq)}
        <span className="font-normal text-muted">
          {new Date(entry.at).toLocaleString()} · {sizeText(size)}
        </span>
      </h3>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto px-4 py-2 font-mono text-xs -outline-offset-2"
      >
        {json.slice(0, longest)}
      </pre>
      {json.length > longest && (
        <p className="px-4 pb-2 text-xs text-warning">
          {words.cut(longest.toLocaleString(), json.length.toLocaleString())}
        </p>
      )}
    </section>
  )
}

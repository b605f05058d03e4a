import { type TruncatedValue, truncatedIn } from '@throughline/protocol'
import { useWords } from '../settings/settings.tsx'
import { sizeLabel } from '../text/size-label.ts'

/** Draws a value: a text as it is, anything else as JSON. Of a truncated value, draws the beginning and a note. */
export function ValueView({ label, value }: { readonly label: string; readonly value: unknown }) {
  const truncated = truncatedIn(value)
  return (
    <div>
      <div className="mb-1 text-xs font-medium text-muted">{label}</div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-lg bg-panel p-2.5 text-xs leading-relaxed whitespace-pre-wrap break-words"
      >
        {truncated === undefined ? valueText(value) : truncated.text.slice(0, maxShownChars)}
      </pre>
      {truncated !== undefined && <TruncatedNote truncated={truncated} />}
    </div>
  )
}

// A browser hangs while it lays out a block with a megabyte of text.
const maxShownChars = 100_000

function TruncatedNote({ truncated }: { readonly truncated: TruncatedValue }) {
  const words = useWords()
  const { bytes, keptBytes, text, limit } = truncated
  const kept = text.length > maxShownChars ? maxShownChars : keptBytes
  const note = words.truncated(sizeLabel(kept), sizeLabel(bytes))
  return (
    <p className="mt-1 text-xs text-warning" data-truncated={limit}>
      {limit === 'maxRunToolOutputBytes' ? `${note} ${words.truncatedTogether}` : note}
    </p>
  )
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

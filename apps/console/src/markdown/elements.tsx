import { ImageIcon } from 'lucide-react'
import {
  createContext,
  createElement,
  type MouseEvent,
  type ReactNode,
  Suspense,
  use,
  useContext,
} from 'react'
import { lazyOr } from '../controls/lazy-part.ts'
import { useWords } from '../settings/settings.tsx'
import { hostOf } from '../text/host-of.ts'
import type { TypesetProps } from './math/typeset.tsx'

/** The addresses of an answer's sources in order, one a line; an empty line for a source without an address. */
export const CitedSources = createContext('')

/** Draws a text in which `[1]` stands for the first source of the answer. A number without a source stays text. */
export function CitedText({ text }: { readonly text: string }) {
  const sources = useContext(CitedSources)
  if (sources === '') return text
  const addresses = sources.split('\n')
  // Every second piece is a number.
  return text.split(/\[(\d{1,3})\]/).map((piece, index) => {
    if (index % 2 === 0) return piece
    const address = addresses[Number(piece) - 1]
    if (address === undefined || address === '') return `[${piece}]`
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
      <sup key={index}>
        <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={new URL(address).host}>
          {piece}
        </a>
      </sup>
    )
  })
}

/** The level of the first heading of the text; 0 while it is not known. */
export const TopHeading = createContext(0)

/** The page has two headings above an answer: its title, and the name of the sender. */
const levelsAbove = 2

/**
 * A heading of a text. Screen readers hear levels without gaps: a text that begins with `##` has its first heading
 * directly below the name of the sender. Its look is that of the level which was written.
 */
export function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  const top = use(TopHeading) || level
  const heardLevel = levelsAbove + Math.max(1, level - top + 1)
  return createElement(`h${level}`, { dir: 'auto', 'aria-level': heardLevel }, children)
}

/** Tells the footnotes of one text from those of another on the same page. */
export const FootnoteScope = createContext('')

/** A footnote, which the references in the text lead to. */
export function Footnote({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const scope = useContext(FootnoteScope)
  return (
    <div id={idOf(scope, label)} tabIndex={-1} dir="auto" className="flex gap-2 text-sm text-muted">
      <sup className="mt-2">{label}</sup>
      <span className="min-w-0">{children}</span>
    </div>
  )
}

export function FootnoteReference({ label }: { readonly label: string }) {
  const id = idOf(useContext(FootnoteScope), label)
  const show = (event: MouseEvent) => {
    // The address of the page stays as it is.
    event.preventDefault()
    const note = document.getElementById(id)
    note?.scrollIntoView({ block: 'nearest' })
    note?.focus()
  }
  return (
    <sup>
      <a href={`#${encodeURIComponent(id)}`} onClick={show}>
        {label}
      </a>
    </sup>
  )
}

function idOf(scope: string, label: string): string {
  return `note${scope}${label}`
}

/**
 * Draws an image of another site as a link that names the site. Loading the image would tell that site who reads the
 * answer, and when.
 */
export function RemoteImage({
  address,
  description,
}: {
  readonly address: string
  readonly description: string
}) {
  const words = useWords()
  const label = description || words.image
  if (!/^https?:/i.test(address)) return <span className="text-muted">[{label}]</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="inline-flex items-center gap-1.5 rounded-lg border border-line px-2 py-0.5 text-sm"
    >
      <ImageIcon size={14} />
      {label}
      <span className="text-muted">{hostOf(address)}</span>
    </a>
  )
}

// If it cannot be loaded, the formula stays as it was written.
const Typeset = lazyOr<TypesetProps>(
  () => import('./math/typeset.tsx').then(file => file.loadTypeset()),
  ({ children }) => children,
)

interface FormulaProps {
  /** The formula in TeX; empty when it is not closed. */
  readonly tex: string
  /** The formula as it was written, with its dollars or brackets. */
  readonly source: string
  /** Whether it has a line of its own. */
  readonly isBlock: boolean
}

/** Draws a formula. A block has its height from the beginning, so the text below does not move when it is typeset. */
export function Formula({ tex, source, isBlock }: FormulaProps) {
  const written = <code className={isBlock ? 'whitespace-pre-wrap' : ''}>{source}</code>
  const formula =
    tex.trim() === '' ? (
      written
    ) : (
      // On one line, because a formula that is typeset is rarely higher.
      <Suspense fallback={<code className="truncate">{tex}</code>}>
        <Typeset key={tex} tex={tex} isBlock={isBlock}>
          {written}
        </Typeset>
      </Suspense>
    )
  if (!isBlock) return formula
  return (
    <span className="formula" style={{ minHeight: `${1.5 + 1.7 * rowsIn(tex)}em` }}>
      {formula}
    </span>
  )
}

function rowsIn(tex: string): number {
  return tex.split('\\\\').length
}

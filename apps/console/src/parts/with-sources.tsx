import type { Message } from '@throughline/protocol'
import { FileText, Link } from 'lucide-react'
import type { ReactNode } from 'react'
import { CitedSources } from '../markdown/elements.tsx'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly message: Message
  /** The parts of the message. In their texts, `[1]` leads to the first source. */
  readonly children: ReactNode
}

/** Draws the parts of a message, and below them the sources of the message. */
export function WithSources({ message, children }: Props) {
  const sources = sourcesOf(message)
  return (
    // A text, because an equal one does not have everything drawn again.
    <CitedSources value={sources.map(({ address = '' }) => address).join('\n')}>
      {children}
      {sources.length > 0 && <Sources sources={sources} />}
    </CitedSources>
  )
}

function Sources({ sources }: { readonly sources: readonly Source[] }) {
  const words = useWords()
  return (
    <ol aria-label={words.sources} className="flex flex-wrap gap-2 text-sm">
      {sources.map((source, index) => (
        <li key={source.id} data-source="" className="max-w-full">
          <SourceLink source={source} number={index + 1} />
        </li>
      ))}
    </ol>
  )
}

function SourceLink({ source, number }: { readonly source: Source; readonly number: number }) {
  const { title, host, address } = source
  const look = 'flex min-h-8 items-center gap-1.5 rounded-lg border border-line px-2 pointer-coarse:min-h-10'
  const Icon = address === undefined ? FileText : Link
  const label = (
    <>
      <span className="text-xs text-muted">{number}</span>
      <Icon size={14} className="shrink-0 text-muted" />
      <span className="truncate" dir="auto">
        {title}
      </span>
      {host !== title && <span className="max-w-40 shrink-0 truncate text-xs text-muted">{host}</span>}
    </>
  )
  if (address === undefined) return <span className={look}>{label}</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`${look} hover:border-accent`}
    >
      {label}
    </a>
  )
}

/** Something that an answer is based on. */
interface Source {
  readonly id: string
  readonly title: string
  /** The address of a page; `undefined` for a document, and for an address that is not one of the web. */
  readonly address: string | undefined
  /** The host of the address, as the browser would go to it; empty without an address. */
  readonly host: string
}

/** Returns the sources of a message, each once and in the order in which they came. */
function sourcesOf({ parts }: Pick<Message, 'parts'>): readonly Source[] {
  const sources = new Map<string, Source>()
  for (const part of parts) {
    if (part.type === 'source-url') {
      const url = URL.parse(part.url)
      const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
      const host = isWeb ? url.host.replace(/^www\./, '') : ''
      const title = part.title || host || part.url
      add(sources, { id: part.url, title, address: isWeb ? url.href : undefined, host })
    } else if (part.type === 'source-document') {
      add(sources, { id: part.sourceId, title: part.title, address: undefined, host: '' })
    }
  }
  return [...sources.values()]
}

function add(sources: Map<string, Source>, source: Source): void {
  if (!sources.has(source.id)) sources.set(source.id, source)
}

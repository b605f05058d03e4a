import type { Message } from '@throughline/protocol'

/** Something that an answer is based on. */
export interface Source {
  readonly id: string
  readonly title: string
  /** The address of a page; `undefined` for a document, and for an address that is not one of the web. */
  readonly address: string | undefined
  /** The host of the address, as the browser would go to it; empty without an address. */
  readonly host: string
}

/** Returns the sources of a message, each once and in the order in which they came. */
export function sourcesOf({ parts }: Pick<Message, 'parts'>): readonly Source[] {
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

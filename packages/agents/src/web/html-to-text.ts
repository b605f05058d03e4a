import { setImmediate } from 'node:timers/promises'
import { htmlTokens } from './html-tokens.ts'
import { PageReader, type PageText } from './page-reader.ts'
import { ReadableFilter } from './readable-filter.ts'
import { TagBalance } from './tag-balance.ts'
import { WebAccessError } from './web-access-error.ts'

/** What `htmlToText` must know of a page. */
export type HtmlOptions = {
  /** The URL of the page. Relative links are resolved against it. */
  readonly url: string
  /** Whether the page is XHTML, where every element may end with `/>`. Default: false. */
  readonly isXml?: boolean
  readonly signal?: AbortSignal | undefined
}

// A large page can take a second or more. After so many tokens, which take some milliseconds, the reader yields to the
// event loop, so that the server stays responsive.
const tokensPerTurn = 2_000

/**
 * Returns the title of a page and its text as Markdown, with headings, lists, links and tables. Accepts any string,
 * also broken HTML. Throws a `WebAccessError` with the code `aborted` when the signal aborts.
 */
export async function htmlToText(
  html: string,
  { url, isXml = false, signal }: HtmlOptions,
): Promise<PageText> {
  const balance = new TagBalance({ isXml })
  const filter = new ReadableFilter()
  const page = new PageReader(url)
  const read = (events: ReturnType<typeof balance.eventsOf>) => {
    for (const event of events) if (filter.passes(event)) page.read(event)
  }
  let tokens = 0
  for (const token of htmlTokens(html)) {
    read(balance.eventsOf(token))
    tokens += 1
    if (tokens % tokensPerTurn !== 0) continue
    await setImmediate()
    if (signal?.aborted) throw new WebAccessError('aborted', 'The request was stopped.')
  }
  read(balance.end())
  return page.finish()
}

/** Returns the text between the tags, with single spaces. For short texts, such as the snippets of a search engine. */
export function withoutTags(html: string): string {
  const pieces: string[] = []
  for (const token of htmlTokens(html)) if (token.type === 'text') pieces.push(token.text)
  return pieces.join('').replace(/\s+/g, ' ').trim()
}

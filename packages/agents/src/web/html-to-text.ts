import { setImmediate } from 'node:timers/promises'
import { WebAccessError } from './guard/web-access-error.ts'
import { htmlTokens } from './html-tokens.ts'
import { PageReader, type PageText } from './page-reader.ts'
import { type HtmlEvent, TagBalance } from './tag-balance.ts'

/** What `htmlToText` must know of a page. */
export type HtmlOptions = {
  /** The URL of the page. Relative links are resolved against it. */
  readonly url: string
  /** Whether the page is XHTML, where every element may end with `/>`. Default: false. */
  readonly isXml?: boolean
  readonly signal?: AbortSignal | undefined
}

// A large page can take a second or more. After this many tokens, which take some milliseconds, the reader yields to the
// event loop, so that the server stays responsive.
const tokensBeforeYield = 2_000

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
    if (tokens % tokensBeforeYield !== 0) continue
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

/** Filters out the elements that a person would not read: code, form controls, menus and hidden elements. */
class ReadableFilter {
  #droppedDepth = 0
  #contentDepth = 0

  /** Returns whether the event belongs to readable content. Must be called with every event of the page in order. */
  passes(event: HtmlEvent): boolean {
    const isInside = this.#droppedDepth > 0
    if (event.type === 'enter') {
      if (isInside || isUnreadable(event, this.#contentDepth > 0)) this.#droppedDepth += 1
      else if (contentElements.has(event.name)) this.#contentDepth += 1
    } else if (event.type === 'leave') {
      if (isInside) this.#droppedDepth -= 1
      else if (contentElements.has(event.name)) this.#contentDepth -= 1
    }
    return !isInside && this.#droppedDepth === 0
  }
}

const contentElements: ReadonlySet<string> = new Set(['main', 'article'])

const unreadable: ReadonlySet<string> = new Set(
  (
    'script style template svg canvas iframe object embed audio video map nav menu button input select textarea ' +
    'datalist progress meter noembed noframes xmp'
  ).split(' '),
)

// Outside of the content these hold site navigation and the like. Inside of it they hold notes and sources.
const unreadableAround: ReadonlySet<string> = new Set(['aside', 'footer'])

// Many pages hide these until their scripts have run.
const neverHidden: ReadonlySet<string> = new Set(['html', 'body', 'main'])

function isUnreadable(
  { name, attributes }: Extract<HtmlEvent, { type: 'enter' }>,
  isContent: boolean,
): boolean {
  if (unreadable.has(name) || (!isContent && unreadableAround.has(name))) return true
  if (name === 'dialog' && !attributes.has('open')) return true
  if (neverHidden.has(name)) return false
  // Hidden text is a way of prompt injection: the agent would read it, but the person would not see it.
  const style = attributes.get('style') ?? ''
  return (
    attributes.has('hidden') ||
    attributes.get('aria-hidden')?.toLowerCase() === 'true' ||
    /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
  )
}

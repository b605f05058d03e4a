import type { HtmlEvent } from './tag-balance.ts'

/** Filters out the elements that a person would not read: code, form controls, menus and hidden elements. */
export class ReadableFilter {
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

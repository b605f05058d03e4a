import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

/** A piece of HTML source. */
export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'close'; readonly name: string }
  /** A comment, a declaration or broken markup. */
  | { readonly type: 'nothing' }
  | {
      readonly type: 'open'
      readonly name: string
      readonly attributes: ReadonlyMap<string, string>
      /** Whether the tag ends with `/>`. HTML ignores this, except in XHTML, SVG and MathML. */
      readonly isSelfClosing: boolean
    }

/**
 * Splits any text into tokens, much like the tokenizer of a browser. A tag, a quote or a comment that is never closed
 * reaches to the end of the text. No part of the text is read twice, so the time is linear in its length.
 */
export function* htmlTokens(html: string): Generator<HtmlToken, void, undefined> {
  let position = 0
  while (position < html.length) {
    const start = html.indexOf('<', position)
    const end = start === -1 ? html.length : start
    if (end > position) yield textToken(html.slice(position, end))
    if (start === -1) return
    const markup = markupAt(html, start)
    yield markup.token
    position = markup.end
    if (markup.token.type !== 'open' || markup.token.isSelfClosing) continue
    const { name } = markup.token
    if (!rawElements.has(name)) continue
    const rawEnd = rawEndOf(html, name, position)
    // The content of raw elements is dropped, except for these two. Their text may have entities.
    if (name === 'title' || name === 'textarea') yield textToken(html.slice(position, rawEnd))
    position = rawEnd
  }
}

type Markup = { readonly token: HtmlToken; readonly end: number }

const nothing: HtmlToken = { type: 'nothing' }

// Elements whose content has no tags: it ends at their own end tag.
const rawElements: ReadonlySet<string> = new Set(
  'title textarea script style xmp iframe noembed noframes'.split(' '),
)

function markupAt(html: string, start: number): Markup {
  const next = html[start + 1] ?? ''
  if (isLetter(next)) return openTag(html, start + 1)
  if (next === '/') return closeTag(html, start + 2)
  if (html.startsWith('<!--', start)) return { token: nothing, end: commentEnd(html, start + 4) }
  if (next === '!' || next === '?') return { token: nothing, end: after(html, '>', start) }
  return { token: { type: 'text', text: '<' }, end: start + 1 }
}

// More than any real page has. The limit keeps one hostile tag from taking most of the time.
const maxAttributes = 200

function openTag(html: string, start: number): Markup {
  const nameEnd = match(tagName, html, start)
  const attributes = new Map<string, string>()
  let position = nameEnd
  while (true) {
    position = match(separators, html, position)
    if (position >= html.length) return { token: nothing, end: html.length }
    if (html[position] === '>') break
    if (attributes.size >= maxAttributes) {
      position = after(html, '>', position) - 1
      break
    }
    // Skip one character, whatever it is, so that the loop always moves on. As in browsers, a name may begin with "=".
    const end = match(attributeName, html, position + 1)
    const name = html.slice(position, end).toLowerCase()
    const { value, end: valueEnd } = attributeValue(html, end)
    if (!attributes.has(name)) attributes.set(name, decodeHTMLAttribute(value))
    position = valueEnd
  }
  const isSelfClosing = html[position - 1] === '/'
  const name = html.slice(start, nameEnd).toLowerCase()
  return { token: { type: 'open', name, attributes, isSelfClosing }, end: position + 1 }
}

function attributeValue(html: string, start: number): { readonly value: string; readonly end: number } {
  const equals = match(spaces, html, start)
  if (html[equals] !== '=') return { value: '', end: start }
  const begin = match(spaces, html, equals + 1)
  const quote = html[begin]
  if (quote === '"' || quote === "'") {
    const end = after(html, quote, begin + 1)
    return { value: html.slice(begin + 1, end - 1), end }
  }
  const end = match(bareValue, html, begin)
  return { value: html.slice(begin, end), end }
}

function closeTag(html: string, start: number): Markup {
  const end = after(html, '>', start)
  if (!isLetter(html[start] ?? '')) return { token: nothing, end }
  return { token: { type: 'close', name: html.slice(start, match(tagName, html, start)).toLowerCase() }, end }
}

function commentEnd(html: string, start: number): number {
  if (html.startsWith('>', start)) return start + 1
  if (html.startsWith('->', start)) return start + 2
  return after(html, '-->', start)
}

function rawEndOf(html: string, name: string, start: number): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = start
  return closing.exec(html)?.index ?? html.length
}

const tagName = /[^\s/>]*/y
const attributeName = /[^\s/>=]*/y
const bareValue = /[^\s>]*/y
const separators = /[\s/]*/y
const spaces = /\s*/y

/** Returns the position after the characters at `start` that the sticky pattern matches. */
function match(pattern: RegExp, html: string, start: number): number {
  pattern.lastIndex = start
  pattern.test(html)
  return Math.max(pattern.lastIndex, start)
}

/** Returns the position after the next `mark`, or the end of the text. */
function after(html: string, mark: string, start: number): number {
  const found = html.indexOf(mark, start)
  return found === -1 ? html.length : found + mark.length
}

function isLetter(character: string): boolean {
  return /^[a-z]$/i.test(character)
}

function textToken(text: string): HtmlToken {
  return { type: 'text', text: text.includes('&') ? decodeHTML(text) : text }
}

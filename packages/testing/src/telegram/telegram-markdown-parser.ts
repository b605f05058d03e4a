/** A formatted range of a text, as Telegram describes it. Offset and length are in UTF-16 units. */
export interface TelegramEntity {
  readonly type: EntityType
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
}

export interface TelegramText {
  readonly text: string
  readonly entities: readonly TelegramEntity[]
}

/** Is thrown for a text that Telegram would refuse, or would not show as intended. */
export class TelegramMarkdownError extends Error {
  override readonly name = 'TelegramMarkdownError'
}

type EntityType =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'spoiler'
  | 'code'
  | 'pre'
  | 'text_link'
  | 'blockquote'
  | 'expandable_blockquote'

interface OpenEntity {
  readonly type: EntityType
  /** The position in the source where the entity began. */
  readonly at: number
  readonly offset: number
  readonly language: string
}

/**
 * Parses MarkdownV2 as the Bot API does: it checks what must be escaped, and that every entity ends. It is stricter in
 * one point: code inside another entity is an error, because Telegram drops one of the two styles.
 */
export function parseTelegramMarkdown(source: string): TelegramText {
  return new MarkdownReader(source).read()
}

const reserved = '_*[]()~`>#+-=|{}.!\n'
const simpleMarks: ReadonlyMap<string, EntityType> = new Map([
  ['*', 'bold'],
  ['~', 'strikethrough'],
  ['[', 'text_link'],
])

class MarkdownReader {
  readonly #source: string
  readonly #open: OpenEntity[] = []
  readonly #entities: TelegramEntity[] = []
  #at = 0
  #text = ''
  #isInQuote = false
  /** Whether only carriage returns and marks come before this position in its line. */
  #isLineStart = true

  constructor(source: string) {
    this.#source = source
  }

  read(): TelegramText {
    while (this.#at < this.#source.length) this.#step()
    if (this.#open.at(-1)?.type === 'blockquote') this.#close(0)
    const unclosed = this.#open.at(-1)
    if (unclosed !== undefined) throw this.#unclosed(unclosed)
    return {
      text: this.#text,
      entities: this.#entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length),
    }
  }

  #step(): void {
    const character = this.#source.charAt(this.#at)
    if (this.#isEscaping()) {
      this.#at += 1
      return this.#take()
    }
    const top = this.#open.at(-1)
    const isCode = top?.type === 'code' || top?.type === 'pre'
    if (!(isCode ? '`' : reserved).includes(character)) return this.#take()
    if (top !== undefined && this.#endsQuote(character)) return this.#endQuote(top)
    const endLength = top === undefined ? 0 : this.#endLength(top.type)
    if (endLength > 0) return this.#close(endLength)
    if (isCode) throw this.#reserved('`')
    this.#begin(character)
  }

  #take(): void {
    const character = this.#source.charAt(this.#at)
    this.#text += character
    this.#at += 1
    if (character !== '\r') this.#isLineStart = false
  }

  #endsQuote(character: string): boolean {
    return this.#isInQuote && character === '\n' && this.#source.charAt(this.#at + 1) !== '>'
  }

  #endQuote(top: OpenEntity): void {
    if (top.type !== 'blockquote') throw this.#unclosed(top)
    this.#text += '\n'
    this.#close(1)
    this.#isLineStart = true
  }

  /** Returns how many characters end the entity here; 0 if it does not end here. */
  #endLength(type: EntityType): number {
    const isHere = (mark: string) => this.#source.startsWith(mark, this.#at)
    switch (type) {
      case 'bold':
        return isHere('*') ? 1 : 0
      case 'italic':
        return isHere('_') && !isHere('__') ? 1 : 0
      case 'underline':
        return isHere('__') ? 2 : 0
      case 'strikethrough':
        return isHere('~') ? 1 : 0
      case 'spoiler':
        return isHere('||') ? 2 : 0
      case 'code':
        return isHere('`') ? 1 : 0
      case 'pre':
        return isHere('```') ? 3 : 0
      case 'text_link':
        return isHere(']') ? 1 : 0
      case 'blockquote':
      case 'expandable_blockquote':
        return 0
      default:
        return type satisfies never
    }
  }

  #close(length: number): void {
    const entity = this.#open.pop()
    if (entity === undefined) return
    const { type, offset, language } = entity
    this.#at += length
    const url = type === 'text_link' ? this.#url(this.#text.slice(offset)) : ''
    if (type === 'blockquote') this.#isInQuote = false
    // Telegram drops invalid links and empty entities. The text stays.
    if (this.#text.length === offset || (type === 'text_link' && url === '')) return
    const facts = { ...(url !== '' && { url }), ...(language !== '' && { language }) }
    this.#entities.push({ type, offset, length: this.#text.length - offset, ...facts })
  }

  #url(text: string): string {
    if (this.#source.charAt(this.#at) !== '(') return checkedUrl(text)
    const start = this.#at + 1
    let url = ''
    for (this.#at = start; this.#source.charAt(this.#at) !== ')'; this.#at += 1) {
      if (this.#at >= this.#source.length) throw this.#error("Can't find end of a URL", start)
      if (this.#isEscaping()) this.#at += 1
      url += this.#source.charAt(this.#at)
    }
    this.#at += 1
    return checkedUrl(url)
  }

  #isEscaping(): boolean {
    const next = this.#source.charCodeAt(this.#at + 1)
    return this.#source.charAt(this.#at) === '\\' && next >= 1 && next <= 126
  }

  #begin(character: string): void {
    const isHere = (mark: string) => this.#source.startsWith(mark, this.#at)
    if (character === '\n') return this.#newLine()
    if (character === '>') return this.#beginQuote()
    if (isHere('||')) return this.#endsExpandable() ? this.#endExpandable() : this.#push('spoiler', 2)
    if (character === '_') return isHere('__') ? this.#push('underline', 2) : this.#push('italic', 1)
    if (isHere('```')) return this.#beginPre()
    if (character === '`') return this.#push('code', 1)
    const type = simpleMarks.get(character)
    if (type === undefined) throw this.#reserved(character)
    this.#push(type, 1)
  }

  #newLine(): void {
    this.#take()
    this.#isLineStart = true
    if (!this.#isInQuote) return
    this.#at += 1
    this.#isLineStart = false
  }

  #beginQuote(): void {
    if (!this.#isLineStart || this.#isInQuote) throw this.#reserved('>')
    this.#isInQuote = true
    this.#push('blockquote', 1)
  }

  #endsExpandable(): boolean {
    return (
      this.#open.at(-1)?.type === 'blockquote' && /^\|\|\r*(\n(?!>)|$)/.test(this.#source.slice(this.#at))
    )
  }

  #endExpandable(): void {
    const quote = this.#open.pop()
    if (quote === undefined) return
    this.#at += 2
    this.#isInQuote = false
    const { offset } = quote
    const length = this.#text.length - offset
    if (length > 0) this.#entities.push({ type: 'expandable_blockquote', offset, length })
  }

  #beginPre(): void {
    const [whole = '', language = ''] =
      /^```(?:([^\s`]+)(?=\s))?(?:\r\n|\n\r|\n|\r)?/.exec(this.#source.slice(this.#at)) ?? []
    this.#push('pre', whole.length, language)
  }

  #push(type: EntityType, length: number, language = ''): void {
    const isCode = type === 'code' || type === 'pre'
    const outer = this.#open.find(
      open => open.type !== 'blockquote' && (isCode || (type === 'text_link' && open.type === type)),
    )
    if (outer !== undefined) {
      throw this.#error(`A ${type} entity cannot be inside a ${outer.type} entity`, this.#at)
    }
    this.#open.push({ type, at: this.#at, offset: this.#text.length, language })
    this.#at += length
  }

  #reserved(character: string): TelegramMarkdownError {
    return new TelegramMarkdownError(
      `Character '${character}' is reserved and must be escaped with the preceding '\\'`,
    )
  }

  #unclosed({ type, at }: OpenEntity): TelegramMarkdownError {
    return this.#error(`Can't find end of ${type} entity`, at)
  }

  #error(what: string, at: number): TelegramMarkdownError {
    return new TelegramMarkdownError(`${what} at byte offset ${Buffer.byteLength(this.#source.slice(0, at))}`)
  }
}

/** Returns the address as Telegram saves it, or `undefined` if Telegram would make no link of it. */
function checkedUrl(url: string): string {
  if (/^(tg|ton):/i.test(url)) return url
  const full = /^https?:\/\//i.test(url) ? url : `http://${url}`
  if (!URL.canParse(full)) return ''
  const { hostname, href } = new URL(full)
  return hostname.includes('.') || hostname.startsWith('[') ? href : ''
}

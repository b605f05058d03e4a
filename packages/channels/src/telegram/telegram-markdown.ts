import MarkdownIt, { type Token } from 'markdown-it'
import { escapeCode, escapeText, inlineLines, type Line, plainLine } from './inline-markdown.ts'

/** The parser drops text that is nested deeper. */
const maxNesting = 100
// The definition of a link and its use may be in different messages. So both stay as they are written.
const parser = new MarkdownIt({ html: false, maxNesting }).disable('reference')

/** A text in two forms: in `MarkdownV2` as it is sent, and as people see it. */
interface TelegramText {
  readonly markdown: string
  readonly text: string
}

/**
 * Returns Markdown in Telegram's own form. Telegram takes the result, whatever the source is. Every character that is not
 * markup can be seen: headings are bold, tables are preformatted, and an address that cannot be a link is written out.
 */
export function telegramMarkdown(markdown: string): TelegramText {
  // The parser does the same. Text that is shown as it was written must not differ from it.
  const normalized = markdown.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\ufffd')
  const tokens = parser.parse(normalized, {})
  const isTooDeep = tokens.some(({ level }) => level >= maxNesting - 1)
  const source = normalized.split('\n')
  const lines = isTooDeep
    ? source.map(plainLine)
    : blockLines(childrenOf(tokens), { source, isTight: false, canQuote: true })
  return {
    markdown: lines.map(line => line.markdown).join('\n'),
    text: lines.map(line => line.text).join('\n'),
  }
}

/** A token of the parser, with the tokens between it and its closing token. */
interface MarkdownNode {
  readonly token: Token
  readonly children: readonly MarkdownNode[]
}

/** Turns the parser's flat list of tokens into a tree. */
function childrenOf(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = []
  const open = [root]
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop()
      continue
    }
    const children: MarkdownNode[] = []
    open.at(-1)?.push({ token, children })
    if (token.nesting === 1) open.push(children)
  }
  return root
}

/** What surrounds a part of the document. */
interface Nesting {
  /** The lines of the source. */
  readonly source: readonly string[]
  /** Whether blocks follow each other without a blank line. */
  readonly isTight: boolean
  /** Whether a quote may begin here. In Telegram a quote begins a line, and quotes are not nested. */
  readonly canQuote: boolean
}

function blockLines(nodes: readonly MarkdownNode[], nesting: Nesting): Line[] {
  const blocks = nodes.map(node => linesOf(node, nesting)).filter(lines => lines.length > 0)
  return joinedLines(blocks, nesting.isTight)
}

function joinedLines(blocks: readonly Line[][], isTight: boolean): Line[] {
  return blocks.flatMap((lines, index) => (index === 0 || isTight ? lines : [plainLine(''), ...lines]))
}

function linesOf({ token, children }: MarkdownNode, nesting: Nesting): Line[] {
  switch (token.type) {
    case 'paragraph_open':
      return children.flatMap(child => inlineLines(child.token.children ?? []))
    case 'heading_open':
      return children.flatMap(child => inlineLines(child.token.children ?? [], { isBold: true }))
    case 'fence':
    case 'code_block':
      return [preformatted(token.content.replace(/\n$/, ''), languageOf(token))]
    case 'bullet_list_open':
    case 'ordered_list_open':
      return listLines(children, nesting)
    case 'blockquote_open':
      return quoteLines(children, nesting)
    case 'table_open':
      return [preformatted(tableText(token, children, nesting.source), '')]
    case 'hr':
      return [plainLine('———')]
    default:
      return token.content.split('\n').map(plainLine)
  }
}

function listLines(items: readonly MarkdownNode[], nesting: Nesting): Line[] {
  const isTight = items.every(({ children }) =>
    children.every(({ token }) => token.type !== 'paragraph_open' || token.hidden),
  )
  const blocks = items.map(({ token, children }) => {
    const marker = token.info === '' ? '• ' : `${token.info}${token.markup} `
    return withMarker(marker, blockLines(children, { ...nesting, isTight, canQuote: false }))
  })
  return joinedLines(blocks, isTight)
}

function quoteLines(children: readonly MarkdownNode[], nesting: Nesting): Line[] {
  const lines = blockLines(children, { ...nesting, canQuote: false })
  if (!nesting.canQuote) return lines.map(line => withPrefix('> ', line))
  return lines.map(line => ({ ...line, markdown: `>${line.markdown}` }))
}

function tableText({ map }: Token, sections: readonly MarkdownNode[], source: readonly string[]): string {
  const rows = sections.flatMap(section => section.children.map(row => row.children.map(cellText)))
  return markdownTable(rows, map === null ? [] : source.slice(...map))
}

function cellText({ children: [content] }: MarkdownNode): string {
  const lines = inlineLines(content?.token.children ?? [], { areLinksSpelledOut: true })
  return lines.map(({ text }) => text).join(' ')
}

function withMarker(marker: string, lines: readonly Line[]): Line[] {
  const [first, ...others] = lines
  const indent = ' '.repeat(marker.length)
  if (first === undefined || first.isPre === true) return [plainLine(marker), ...lines]
  return [
    withPrefix(marker, first),
    ...others.map(line => (line.text === '' ? line : withPrefix(indent, line))),
  ]
}

function withPrefix(prefix: string, line: Line): Line {
  if (line.isPre === true) return line
  return { markdown: escapeText(prefix) + line.markdown, text: prefix + line.text }
}

function preformatted(code: string, language: string): Line {
  return { markdown: `\`\`\`${language}\n${escapeCode(code)}\`\`\``, text: code, isPre: true }
}

function languageOf({ info }: Token): string {
  return /^\s*([\w+#.-]{1,40})(?!\S)/.exec(info)?.[1] ?? ''
}

/**
 * Returns a table as text in columns, for a monospace font. `rows` are the texts of its cells. `lines` are the lines of
 * the source.
 */
function markdownTable(rows: readonly (readonly string[])[], lines: readonly string[]): string {
  const columnCount = rows[0]?.length ?? 0
  // The parser drops cells that have no column. Then the table is shown as it was written, so nothing is missing. Only
  // entities such as `&#42;` become what they stand for.
  const written = lines.slice(2)
  if (written.some(line => cellCount(line) > columnCount)) return parser.utils.unescapeAll(lines.join('\n'))
  const widths = Array.from({ length: columnCount }, (_, column) =>
    Math.max(...rows.map(row => widthOf(row[column] ?? ''))),
  )
  const [head = '', ...body] = rows.map(row =>
    row
      .map((cell, column) => pad(cell, widths[column]))
      .join(' │ ')
      .trimEnd(),
  )
  const rule = widths.map(width => '─'.repeat(width)).join('─┼─')
  return [head, rule, ...body].join('\n')
}

function pad(cell: string, width = 0): string {
  return cell + ' '.repeat(width - widthOf(cell))
}

// East Asian characters and emoji are twice as wide as others.
const wide =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff00-\uff60]/u

function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0)
}

function cellCount(line: string): number {
  const inner = line.replace(/^[\s>]*\|?/, '').replace(/(?<!\\)\|\s*$/, '')
  return inner.split(/(?<!\\)\|/).length
}

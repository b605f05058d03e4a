/**
 * Returns a table as text in columns, for a monospace font. `rows` are the texts of its cells. `lines` are the lines of
 * the source.
 */
export function markdownTable(rows: readonly (readonly string[])[], lines: readonly string[]): string {
  const columnCount = rows[0]?.length ?? 0
  // The parser drops cells that have no column. Then the table is shown as it was written, so nothing is missing.
  const written = lines.slice(2)
  if (written.some(line => cellCount(line) > columnCount)) return lines.join('\n')
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

import type { BenchRecord } from './bench-record.ts'

/**
 * Returns the page with the tables and pictures of all records of a bench between its two comments, such as
 * `<!-- load -->` and `<!-- /load -->`. Throws when the comments are missing.
 */
export function withTables(page: string, bench: string, records: readonly BenchRecord[]): string {
  const begin = `<!-- ${bench} -->`
  const end = `<!-- /${bench} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from)
    throw new Error(
      `docs/benchmarks.md has no "${begin}" before "${end}". Put both where the tables should stand.`,
    )
  const tables = records.map(record => `${tableOf(record)}\n`).join('\n')
  return `${page.slice(0, from)}${begin}\n${tables}${page.slice(to)}`
}

function tableOf({ measured, title, columns, rows, pictures }: BenchRecord): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`
  return [
    `### ${title}`,
    '',
    `${measured}.`,
    '',
    ...pictures.flatMap(({ file, alt }) => [`![${alt}](images/${file})`, '']),
    line(columns),
    `|${columns.map(() => '---|').join('')}`,
    ...rows.map(line),
  ].join('\n')
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|')
}

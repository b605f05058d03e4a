import { type Figure, integrationFolders, versionsIn } from './figures.ts'

// The block of docs/compatibility.md that `npm run compatibility` writes.

/** One row of the block. */
export interface BlockRow {
  readonly name: string
  readonly versions: string
  /** Such as `13 of 13`, or why there is none. */
  readonly passed: string
  /** The day of the last run, as `2026-11-18`; empty when it never ran. */
  readonly day: string
}

export const begin = '<!-- figures: written by "npm run compatibility" -->'
export const end = '<!-- end of figures -->'

const notRun = 'not run yet'
/** Folders without a client: what the tests of the others share. */
const shared = ['pages', 'player', 'readers']

/** Returns the rows in a page. Throws when the page has no block. */
export function rowsIn(page: string): readonly BlockRow[] {
  return linesIn(page).map(line => {
    const [name = '', versions = '', passed = '', day = ''] = line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim())
    return { name: name.replaceAll('`', ''), versions, passed, day }
  })
}

/** Returns the page with new figures. Rows of tests that did not run stay as they are. */
export function withFigures(page: string, figures: readonly Figure[], day: string): string {
  const before = new Map(rowsIn(page).map(row => [row.name, row]))
  const found = new Map(figures.map(figure => [figure.name, figure]))
  const folders = integrationFolders().filter(name => !shared.includes(name))
  const others = [...found.keys(), ...before.keys()].filter(name => name.includes(' '))
  const rows = [...new Set([...folders, ...others])].toSorted().map((name): BlockRow => {
    const versions = versionsIn(name)
    const figure = found.get(name)
    if (figure !== undefined) return { name, versions, passed: `${figure.passed} of ${figure.all}`, day }
    return { passed: notRun, day: '', ...before.get(name), name, versions }
  })
  const [head = '', tail = ''] = around(page)
  return `${head}${begin}\n\n${table(rows)}\n\n${end}${tail}`
}

function table(rows: readonly BlockRow[]): string {
  const lines = rows.map(({ name, versions, passed, day }) => {
    const shown = name.includes(' ') ? name : `\`${name}\``
    return `| ${[shown, versions, passed, day].join(' | ')} |`.replaceAll('  ', ' ')
  })
  return ['| tests of | packages | passed | day |', '|---|---|---|---|', ...lines].join('\n')
}

function linesIn(page: string): readonly string[] {
  const [, block = ''] = page.split(begin)
  const lines = block.split(end)[0]?.split('\n') ?? []
  return lines.filter(line => line.startsWith('|')).slice(2)
}

function around(page: string): readonly string[] {
  const [head, rest] = page.split(begin)
  const [, tail] = rest?.split(end) ?? []
  if (head !== undefined && tail !== undefined) return [head, tail]
  throw new Error(
    `docs/compatibility.md has lost the lines ${begin} and ${end}. Put them back where the table should stand.`,
  )
}

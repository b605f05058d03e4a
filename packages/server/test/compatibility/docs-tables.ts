import { readFile } from 'node:fs/promises'

export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The tables of a page, without what makes words look like code. */
export async function tablesIn(path: string): Promise<readonly Table[]> {
  const page = await readFile(fromRoot(path), 'utf8')
  return [...page.matchAll(/^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm)].map(([table]) => {
    const [header = [], , ...rest] = table.trim().split('\n').map(cellsIn)
    return { header, rows: rest }
  })
}

function cellsIn(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map(cell => plain(cell.trim()))
}

/** A text without what makes words look like code. */
export function plain(text: string): string {
  return text.replaceAll('`', '')
}

export function fromRoot(path: string): URL {
  return new URL(`../../../../${path}`, import.meta.url)
}

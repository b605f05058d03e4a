import { CreateError } from './create-error.ts'

/** A project is made of folders in `templates`. A file of a later folder replaces one of an earlier folder. */
const templates: Readonly<Record<string, readonly string[]>> = {
  react: ['common', 'react-chat', 'react'],
  next: ['common', 'react-chat', 'next'],
  express: ['common', 'express'],
}

export const templateNames: readonly string[] = Object.keys(templates)

/** Returns the folders of a template. Throws a `CreateError` for an unknown name. */
export function foldersOf(template: string): readonly string[] {
  const folders = Object.hasOwn(templates, template) ? templates[template] : undefined
  if (folders !== undefined) return folders
  throw new CreateError(
    `There is no template "${template}". Did you mean "${nearest(template, templateNames)}"? ` +
      `There are ${templateNames.join(', ')}.`,
  )
}

/** Returns the name that needs the fewest changes to become the typed one. There must be at least one name. */
function nearest(typed: string, names: readonly string[]): string {
  const [best = ''] = names.toSorted((one, other) => distance(typed, one) - distance(typed, other))
  return best
}

/** The Levenshtein distance: how many characters must be added, removed or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

import { basename, resolve } from 'node:path'
import { CreateError } from './create-error.ts'

/** Returns the name of the project in a folder. Throws a `CreateError` when npm would not take it as the name of a package. */
export function projectName(folder: string): string {
  const name = basename(resolve(folder))
  if (/^[a-z0-9][a-z0-9._-]{0,213}$/.test(name) && !reserved.has(name)) return name
  throw new CreateError(
    `"${name}" cannot be the name of a package. Use lower-case letters, digits, "-", "_" and ".", ` +
      `and begin with a letter or a digit. For example: ${suggestion(name)}`,
  )
}

// A package of this name could not install what it depends on, or anything at all.
const reserved: ReadonlySet<string> = new Set(['node_modules', 'throughline', 'react', 'next', 'express'])

function suggestion(name: string): string {
  const allowed = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
  return allowed === '' || reserved.has(allowed) ? 'my-app' : allowed
}

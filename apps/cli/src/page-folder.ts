import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the folder of the page that is served, or `undefined` if there is none. `true` stands for the page of
 * Throughline, a text for a folder.
 */
export function pageFolder(page: boolean | string): string | undefined {
  if (page === false) return undefined
  const folders = page === true ? ownFolders() : [resolve(page)]
  return folders.find(folder => existsSync(folder))
}

/** The page of Throughline is in the package, or in a clone after `npm run build`. */
function ownFolders(): readonly string[] {
  return ['./page', '../../console/dist'].map(place => fileURLToPath(new URL(place, import.meta.url)))
}

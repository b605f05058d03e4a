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

/**
 * The page of Throughline is in the package, beside a program that was bundled into one file, or in a clone after `npm run build`. Frameworks that copy only the files that
 * a program uses, such as Nuxt, find the first folder by this expression. So it stays as it is.
 */
function ownFolders(): readonly string[] {
  const inPackage = fileURLToPath(new URL('../page', import.meta.url))
  const besideBundle = fileURLToPath(new URL('./page', import.meta.url))
  return [inPackage, besideBundle, fileURLToPath(new URL('../../../console/dist', import.meta.url))]
}

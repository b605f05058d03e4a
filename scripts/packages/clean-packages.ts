// `npm run clean:packages`: removes what `npm run build:packages` made. The check for unused code would read that instead of
// the sources.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { publishedPackages } from '../published-packages.ts'

const root = new URL('../../', import.meta.url)
for (const { folder } of publishedPackages) {
  await rm(fileURLToPath(new URL(`${folder}/dist`, root)), { recursive: true, force: true })
}

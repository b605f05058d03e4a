// `npm run build:packages`: builds every package that is published, in the order in which they need each other. A built
// package has JavaScript with declarations and source maps, the license, and llms.txt. Words after `--` are the names of the
// packages to build, if it should not be all of them.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PublishedPackage, publishedPackages } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'
import { bundleClient } from './bundle-client.ts'
import { llmsText } from './llms-text.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const names = process.argv.slice(2)
const chosen = publishedPackages.filter(({ name }) => names.length === 0 || names.includes(name))
for (const each of chosen) await build(each)

async function build({ name, folder }: PublishedPackage): Promise<void> {
  console.log(name)
  const path = join(root, folder)
  const dist = join(path, 'dist')
  await rm(dist, { recursive: true, force: true })
  await runCommand(['npm', 'exec', '--', 'tsc', '-p', join(folder, 'tsconfig.build.json')], { cwd: root })
  await correctDeclarations(dist)
  if (name === '@throughline/client') await bundleClient(dist)
  await cp(join(root, 'LICENSE'), join(path, 'LICENSE'))
  await writeFile(join(path, 'llms.txt'), await llmsText(path))
  if (name === 'throughline') {
    await cp(join(root, 'apps/console/dist'), join(dist, 'page'), { recursive: true })
    // For pages on which nothing else is built. See docs/guides/clients.md.
    await cp(join(root, 'packages/client/dist/browser.js'), join(dist, 'page/client.js'))
  }
}

/**
 * Lets declarations import each other as `./x.js`. TypeScript changes `./x.ts` in the JavaScript that it writes, but not in
 * declarations. And writes `Uint8Array<ArrayBuffer>` so that TypeScript before 5.7 reads it, where it takes no type.
 */
async function correctDeclarations(dist: string): Promise<void> {
  const names = await readdir(dist, { recursive: true })
  for (const name of names.filter(each => each.endsWith('.d.ts'))) {
    const text = await readFile(join(dist, name), 'utf8')
    const corrected = text
      .replace(/((?:from |import\()["']\.{1,2}\/[^"']*)\.tsx?(["'])/g, '$1.js$2')
      .replace(/Uint8Array<ArrayBuffer>/g, '(Uint8Array & { readonly buffer: ArrayBuffer })')
    if (corrected !== text) await writeFile(join(dist, name), corrected)
  }
}

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

export interface GuideExample extends AsyncDisposable {
  /** The folder of the example. Its program is `example.ts`. */
  readonly path: string
  /** What the guide says that the example prints. Empty if the guide says nothing. */
  readonly output: string
}

/**
 * Makes a folder with the code of one section of docs/guides/embed.md, and with the agent of that page. The example
 * can import the packages of the repository, and those in the folder `modules`.
 */
export async function guideExample(section: string, modules?: string): Promise<GuideExample> {
  const guide = await readFile(join(root, 'docs/guides/embed.md'), 'utf8')
  const sections = new Map(guide.split('\n## ').map(text => [text.split('\n', 1)[0] ?? '', text]))
  const block = (name: string, language: string) =>
    sections.get(name)?.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
  const folder = await temporaryFolder()
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'dir')
  const path = join(folder.path, 'example')
  await mkdir(path)
  if (modules !== undefined) await symlink(modules, join(path, 'node_modules'), 'dir')
  await writeFile(join(path, 'package.json'), '{ "type": "module" }')
  await writeFile(join(path, 'support.ts'), block('An agent', 'ts'))
  await writeFile(join(path, 'example.ts'), block(section, 'ts'))
  return { ...folder, path, output: block(section, 'text') }
}
